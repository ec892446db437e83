package io.mongolock.faults.mutants;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import javax.tools.Diagnostic.Kind;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.util.JavacTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Mutants}: a change of a piece that one of them names is noticed in the
 * short loop.
 */
class MutantsTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "io.mongolock.faults.mutants.Mutants#all", "io.mongolock.faults.mutants.Mutants#chaos" })
	void aMutantFitsTheProduct(Mutant mutant) throws Exception {
		assertThat(mutant.patched()).contains(mutant.to());
	}

	/**
	 * Mutants of different classes are compiled together, which is fast enough for each
	 * build.
	 */
	@Test
	@Tag("compile")
	void eachMutantCompiles() throws Exception {
		Map<String, Deque<Mutant>> byClass = new TreeMap<>();
		Stream.concat(Mutants.all(), Mutants.chaos())
			.forEach((mutant) -> byClass.computeIfAbsent(mutant.type(), (name) -> new ArrayDeque<>()).add(mutant));
		Map<String, String> broken = new TreeMap<>();
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			while (!byClass.isEmpty()) {
				List<Mutant> together = byClass.values().stream().map(Deque::remove).toList();
				byClass.values().removeIf(Deque::isEmpty);
				broken.putAll(errors(compiler, files, together));
			}
		}
		assertThat(broken).isEmpty();
	}

	// By the names of the mutants
	private static Map<String, String> errors(JavaCompiler compiler, StandardJavaFileManager files,
			List<Mutant> mutants) throws IOException {
		List<JavaFileObject> sources = new ArrayList<>();
		for (Mutant mutant : mutants) {
			sources.add(new Source(mutant));
		}
		Map<String, String> errors = new TreeMap<>();
		JavacTask task = (JavacTask) compiler.getTask(null, files, (diagnostic) -> {
			if (diagnostic.getKind() == Kind.ERROR) {
				errors.put(((Source) diagnostic.getSource()).mutant.name(), diagnostic.getMessage(Locale.ROOT));
			}
		}, List.of("-proc:none", "-classpath", System.getProperty("java.class.path")), null, sources);
		task.analyze();
		return errors;
	}

	@Test
	void eachTestThatIsToNoticeOneIsThere() throws IOException {
		Map<String, String> tests = new HashMap<>();
		for (Path file : Mutant.sources("src/test/java")) {
			tests.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
		}
		String all = String.join("\n", tests.values());
		Stream.concat(Mutants.all(), Mutants.chaos())
			.flatMap((mutant) -> mutant.judges().stream())
			.filter((judge) -> judge.main() == TestMain.class)
			.map(Judge::arguments)
			.distinct()
			.forEach((test) -> {
				String name = test.get(0).substring(test.get(0).lastIndexOf('.') + 1);
				String folder = test.get(0).substring(0, test.get(0).lastIndexOf('.'));
				assertThat(tests.getOrDefault(name, "")).as(test.get(0)).contains("package " + folder + ";");
				// A test of the class, or of the contract that it inherits
				assertThat(all).as("method of %s", test.get(0)).contains("void " + test.get(1) + "(");
			});
	}

	private static final class Source extends SimpleJavaFileObject {

		private final Mutant mutant;

		private final String text;

		Source(Mutant mutant) throws IOException {
			super(URI.create("mutant:///" + mutant.type() + ".java"), JavaFileObject.Kind.SOURCE);
			this.mutant = mutant;
			this.text = mutant.patched();
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

}
