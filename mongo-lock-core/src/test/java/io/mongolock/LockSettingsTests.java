package io.mongolock;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockSettings}.
 */
class LockSettingsTests {

	@ParameterizedTest
	@MethodSource("settings")
	void whenOneIsSetThenTheSettingsDifferFromNoneAndFromAnother(RecordComponent setting) throws Exception {
		LockSettings settings = with(setting, false);
		assertThat(settings).isNotEqualTo(LockSettings.NONE).isNotEqualTo(with(setting, true));
		assertThat(settings).isEqualTo(with(setting, false)).hasSameHashCodeAs(with(setting, false));
	}

	@Test
	void settingsThatAreSetAreAllCompared() {
		assertThat(settings()).hasSizeGreaterThan(10);
	}

	static Stream<RecordComponent> settings() {
		return Stream.of(LockSettings.class.getDeclaredClasses())
			.filter(Class::isRecord)
			.flatMap((values) -> Stream.of(values.getRecordComponents()));
	}

	private static LockSettings with(RecordComponent setting, boolean other) throws Exception {
		LockSettings.Builder builder = LockSettings.builder();
		ReflectionUtils.findMethod(LockSettings.Builder.class, setting.getName(), (Class<?>[]) null)
			.invoke(builder, value(setting.getType(), other));
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
