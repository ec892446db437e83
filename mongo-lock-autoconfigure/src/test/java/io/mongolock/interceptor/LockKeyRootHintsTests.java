package io.mongolock.interceptor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockKeyRootHints}, as the native build finds it.
 */
class LockKeyRootHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	@ParameterizedTest
	@ValueSource(strings = { "method", "args", "target", "targetClass", "methodName" })
	void whatAnExpressionMayCallOnTheRootIsThere(String member) throws NoSuchMethodException {
		register();
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(LockKeyRoot.class.getDeclaredMethod(member)))
			.accepts(this.hints);
	}

	@Test
	void withoutThemItWouldNotBe() throws NoSuchMethodException {
		assertThat(
				RuntimeHintsPredicates.reflection().onMethodInvocation(LockKeyRoot.class.getDeclaredMethod("target")))
			.rejects(this.hints);
	}

	private void register() {
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar instanceof LockKeyRootHints)
			.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
	}

}
