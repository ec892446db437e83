package io.mongolock;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockSettings}.
 */
class LockSettingsTests {

	@ParameterizedTest
	@MethodSource("settings")
	void whenOneIsSetThenTheSettingsDifferFromNoneAndFromAnother(Method setting) throws Exception {
		LockSettings settings = with(setting, false);
		assertThat(settings).isNotEqualTo(LockSettings.NONE).isNotEqualTo(with(setting, true));
		assertThat(settings).isEqualTo(with(setting, false)).hasSameHashCodeAs(with(setting, false));
	}

	@Test
	void settingsThatAreSetAreAllCompared() {
		assertThat(settings()).hasSizeGreaterThan(10);
	}

	static Stream<Method> settings() {
		return Stream.of(LockSettings.Builder.class.getMethods())
			.filter((method) -> method.getReturnType() == LockSettings.Builder.class);
	}

	private static LockSettings with(Method setting, boolean other) throws Exception {
		LockSettings.Builder builder = LockSettings.builder();
		setting.invoke(builder, value(setting.getParameterTypes()[0], other));
		return builder.build();
	}

	private static Object value(Class<?> type, boolean other) {
		if (type == Duration.class) {
			return Duration.ofSeconds((other) ? 40 : 20);
		}
		if (type == Integer.class) {
			return (other) ? 3 : 2;
		}
		return (type == Boolean.class) ? (Object) other : String.valueOf(other);
	}

}
