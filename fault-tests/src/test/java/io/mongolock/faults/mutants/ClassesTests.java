package io.mongolock.faults.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.harness.WrappedText;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code classes.md} says which tests know each class of the lock: those named for it,
 * and those that notice its mutants. Its package says what it is for.
 */
class ClassesTests {

	private static final Path PAGE = Path.of("classes.md");

	private static final List<String> MODULES = List.of("mongo-lock-core", "mongo-lock-mongodb", "mongo-lock-spring",
			"mongo-lock-autoconfigure");

	private static final String HEAD = """
			# Which tests know a class

			Where you look after you changed one. `ClassesTests` writes this page:

			    ./mvnw -pl fault-tests -am test -Dtest=GuaranteesTests,ClassesTests -Dpages.write -Dsurefire.failIfNoSpecifiedTests=false

			First come the tests whose name begins with the name of the class, and with no longer one. Then come its *mutants*, the [products that
			are broken on purpose](README.md#where-things-are) in that class, and who goes red for them. The others have neither; the tests of those
			that use them run them.
			""";

	private final List<Path> product = Mutant.sources("src/main/java");

	ClassesTests() throws IOException {
	}

	@Test
	void thePageSaysWhichTestsKnowEachClass() throws IOException {
		String page = page();
		if (System.getProperty("pages.write") != null) {
			Files.writeString(PAGE, page);
		}
		assertThat(Files.readString(PAGE)).as("classes.md, which -Dpages.write writes anew").isEqualTo(page);
	}

	@Test
	void thePackageOfEachClassSaysWhatItIsFor() throws IOException {
		List<String> silent = new ArrayList<>();
		for (String module : MODULES) {
			for (Path source : sources(module)) {
				String description = Files.readString(source.resolveSibling("package-info.java"));
				if (!description.matches("(?s).*\\b" + name(source) + "\\b.*")) {
					silent.add(source.toString());
				}
			}
		}
		assertThat(silent).as("classes that their package-info.java does not name").isEmpty();
	}

	private String page() throws IOException {
		Map<String, Set<String>> named = named();
		Map<String, List<Mutant>> broken = Stream.concat(Mutants.all(), Mutants.chaos())
			.collect(Collectors.groupingBy(Mutant::type));
		List<String> lines = new ArrayList<>(HEAD.lines().toList());
		for (String module : MODULES) {
			lines.addAll(List.of("", "## " + module, ""));
			List<String> others = new ArrayList<>();
			for (String type : classes(module)) {
				List<Mutant> mutants = broken.getOrDefault(type, List.of());
				Set<String> tests = named.getOrDefault(type, Set.of());
				if (tests.isEmpty() && mutants.isEmpty()) {
					others.add("`" + type + "`");
				}
				else {
					lines.addAll(WrappedText.lines("- `" + type + "`: " + known(tests, mutants)));
				}
			}
			lines.addAll(WrappedText.lines("- All others: " + String.join(", ", others)));
		}
		return String.join("\n", lines) + "\n";
	}

	private static String known(Set<String> tests, List<Mutant> mutants) {
		String named = String.join(", ", tests);
		if (mutants.isEmpty()) {
			return named;
		}
		String noticed = mutants.stream()
			.flatMap((mutant) -> mutant.judges().stream())
			.map(ClassesTests::program)
			.distinct()
			.sorted()
			.collect(Collectors.joining(", "));
		return named + ((tests.isEmpty()) ? "" : "; ") + mutants.size()
				+ ((mutants.size() == 1) ? " mutant: " : " mutants: ") + noticed;
	}

	private static String program(Judge judge) {
		if (judge.main() != TestMain.class) {
			return judge.name().replaceFirst(" \\(.*", "");
		}
		String test = judge.arguments().get(0);
		return test.substring(test.lastIndexOf('.') + 1);
	}

	private List<String> classes(String module) {
		return sources(module).stream().map(ClassesTests::name).sorted().toList();
	}

	private List<Path> sources(String module) {
		return this.product.stream()
			.filter((source) -> source.startsWith(Path.of("..", module)) && !source.endsWith("package-info.java"))
			.toList();
	}

	// By the longest name of a class that a test begins with
	private Map<String, Set<String>> named() throws IOException {
		Set<String> all = this.product.stream().map(ClassesTests::name).collect(Collectors.toCollection(TreeSet::new));
		Map<String, Set<String>> named = new TreeMap<>();
		for (Path source : Mutant.sources("src/test/java")) {
			String test = name(source);
			if (test.endsWith("Tests")) {
				Optional<String> type = all.stream()
					.filter(test.replaceFirst("Tests$", "")::startsWith)
					.max(Comparator.comparingInt(String::length));
				type.ifPresent((name) -> named.computeIfAbsent(name, (none) -> new TreeSet<>()).add(test));
			}
		}
		return named;
	}

	private static String name(Path source) {
		return source.getFileName().toString().replaceFirst("\\.java$", "");
	}

}
