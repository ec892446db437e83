package io.mongolock.interceptor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockInterceptorHints}, as the native build finds it.
 */
class LockInterceptorHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	@ParameterizedTest
	@ValueSource(strings = { "method", "args", "target", "targetClass", "methodName" })
	void methodsOfTheRootThatExpressionsCallHaveHints(String member) throws NoSuchMethodException {
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

	@Test
	void everyOptionalTypeThatIsLookedForIsFoundByItsName() throws IOException {
		register();
		List<String> looked = lookedFor();
		assertThat(looked).isNotEmpty();
		assertThat(LockInterceptorHints.OPTIONAL).containsExactlyInAnyOrderElementsOf(looked);
		assertThat(LockInterceptorHints.OPTIONAL).filteredOn((type) -> ClassUtils.isPresent(type, null))
			.isNotEmpty()
			.allSatisfy((type) -> assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)))
				.accepts(this.hints));
	}

	private static List<String> lookedFor() throws IOException {
		List<String> looked = new ArrayList<>();
		// the wiring looks for such types, too
		for (String module : List.of("mongo-lock-spring", "mongo-lock-autoconfigure")) {
			try (Stream<Path> sources = Files.walk(Path.of("..", module, "src/main/java"))) {
				sources.filter((file) -> file.toString().endsWith(".java"))
					.flatMap((file) -> Pattern.compile("isPresent\\(\\s*\"([^\"]+)\"").matcher(read(file)).results())
					.map((call) -> call.group(1))
					.forEach(looked::add);
			}
		}
		return looked.stream().distinct().toList();
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void register() {
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar instanceof LockInterceptorHints)
			.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
	}

}
