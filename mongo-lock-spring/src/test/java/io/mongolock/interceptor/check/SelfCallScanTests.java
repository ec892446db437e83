package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SelfCallScan}.
 */
class SelfCallScanTests {

	@Test
	void whenAMethodCallsALockedOneOnThisThenItIsFound() {
		assertThat(find(Shop.class, Shop.class)).containsExactly(
				Shop.class.getName() + ".inALambda() calls pay(String)",
				Shop.class.getName() + ".payAll() calls pay(String)",
				Shop.class.getName() + ".payEach() calls pay(String)");
	}

	@Test
	void whenTheObjectMayBeAnotherThenNothingIsSaid() {
		assertThat(find(Careful.class, Careful.class)).isEmpty();
	}

	@Test
	void whenAClassAboveCallsTheLockedMethodThenItIsFound() {
		assertThat(find(Below.class, Above.class)).containsExactly(Above.class.getName() + ".runAll() calls run()");
	}

	@Test
	void whenTheCallerHasALockItselfThenNothingIsSaid() {
		Method pay = method(Shop.class, "pay");
		assertThat(SelfCallScan.find(Shop.class, List.of(pay, method(Shop.class, "payAll"))))
			.doesNotContain(Shop.class.getName() + ".payAll() calls pay(String)");
	}

	private static Set<String> find(Class<?> type, Class<?> declaring) {
		return SelfCallScan.find(type,
				Stream.of(ReflectionUtils.getDeclaredMethods(declaring))
					.filter((method) -> method.getName().equals("pay") || method.getName().equals("run"))
					.toList());
	}

	private static Method method(Class<?> type, String name) {
		return Stream.of(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	static class Shop {

		void pay(String order) {
		}

		void payAll() {
			this.pay("1");
		}

		void payEach() {
			List.of("1", "2").forEach(this::pay);
		}

		Runnable inALambda() {
			return () -> pay("3");
		}

		void other(StringBuilder text) {
			text.append("4");
		}

	}

	static class Careful {

		private @Nullable Careful self;

		private @Nullable Supplier<Careful> provider;

		void pay(String order) {
		}

		void byItsProxy() {
			if (this.self != null) {
				this.self.pay("1");
			}
		}

		void byAProvider() {
			if (this.provider != null) {
				this.provider.get().pay("2");
			}
		}

		void byAnArgument(Careful other) {
			other.pay("3");
		}

		void byACopy() {
			new Careful().pay("4");
		}

		void ofMany(List<Careful> all) {
			all.forEach((one) -> one.pay("5"));
		}

	}

	static class Above {

		void run() {
		}

		void runAll() {
			run();
		}

	}

	static class Below extends Above {

	}

}
