package io.mongolock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The releases of docs/compatibility.md are those that the build runs on.
 */
class CompatibilityTests {

	private static final String WORKFLOWS = ".github/workflows/";

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();

	@Test
	void springBootIsThatOfThePomAndThatOfTheGuard() throws IOException {
		Set<String> run = found("pom.xml", "<spring-boot.version>(.+)</spring-boot.version>");
		run.addAll(found(".ci/run", "config/boot.sh ([^\\s\"]+)"));
		assertThat(run).hasSize(2);
		run.addAll(found(WORKFLOWS + "build.yml", "boot: .*'(\\S+-SNAPSHOT)'"));
		assertThat(releases("Spring Boot")).isEqualTo(run).hasSize(3);
	}

	@Test
	void theJdksAreThoseOfTheGuardAndTheOldestIsWhatTheCodeIsCompiledFor() throws IOException {
		Set<String> run = found(".ci/run", "run_on (\\d+)");
		found(".ci/run", "for release in ([\\d ]+);").forEach((more) -> run.addAll(Arrays.asList(more.split(" "))));
		assertThat(releases("JDK")).isEqualTo(run).hasSizeGreaterThan(2);
		assertThat(found("pom.xml", "<maven.compiler.release>(.+)</maven.compiler.release>"))
			.containsExactly(new TreeSet<>(run).first());
	}

	@Test
	void mongoDbIsWhatWasRecordedAndWhatWasNotRunIsSaid() throws IOException {
		String recordings = "mongo-lock-test-server/src/test/resources/real-server/";
		Set<String> recorded = found(recordings + "README.md", "\\| mongod ([\\d.]+)");
		assertThat(recorded).isNotEmpty();
		try (Stream<Path> files = Files.list(ROOT.resolve(recordings))) {
			Set<String> series = files.flatMap((file) -> results(file.getFileName().toString(), "mongodb-([\\d.]+)-"))
				.map((file) -> file.group(1))
				.collect(Collectors.toSet());
			assertThat(recorded).map((release) -> release.replaceFirst("\\.\\d+$", ""))
				.containsExactlyInAnyOrderElementsOf(series);
		}
		List<String> rows = rows("MongoDB").filter((row) -> row.endsWith("| locally |")).toList();
		assertThat(rows).hasSameSizeAs(recorded)
			.allMatch(
					(row) -> recorded.stream().anyMatch((release) -> row.startsWith("| MongoDB | " + release + " |")));
	}

	@Test
	void rowsThatWereNotRunYetNameWorkflowsThatExist() throws IOException {
		List<String> later = Files.readString(ROOT.resolve("docs/compatibility.md"))
			.lines()
			.filter((line) -> line.contains(", not run yet"))
			.toList();
		assertThat(later).isNotEmpty().allSatisfy((row) -> {
			String where = row.substring(row.indexOf("| workflow"));
			List<MatchResult> workflows = results(where, "`(\\w+)`").toList();
			assertThat(workflows).isNotEmpty();
			for (MatchResult workflow : workflows) {
				assertThat(found(WORKFLOWS + workflow.group(1) + ".yml", "name: (" + workflow.group(1) + ")\\n"))
					.isNotEmpty();
			}
		});
		assertThat(rows("MongoDB").flatMap((row) -> results(row.split("\\|")[2], "\\d\\.\\d"))).map(MatchResult::group)
			.containsExactlyInAnyOrderElementsOf(found(WORKFLOWS + "servers.yml", "mongo:(\\d\\.\\d)'"));
		assertThat(Files.readString(ROOT.resolve("docs/compatibility.md"))).doesNotContain("| never |");
	}

	private static Set<String> releases(String of) throws IOException {
		return rows(of).map((row) -> row.split("\\|")[2].trim()).collect(Collectors.toCollection(TreeSet::new));
	}

	private static Stream<String> rows(String of) throws IOException {
		return Files.readString(ROOT.resolve("docs/compatibility.md"))
			.lines()
			.filter((line) -> line.startsWith("| " + of + " | "));
	}

	private static Set<String> found(String file, String pattern) throws IOException {
		return results(Files.readString(ROOT.resolve(file)), pattern).map((found) -> found.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Stream<MatchResult> results(String text, String pattern) {
		return Pattern.compile(pattern).matcher(text).results();
	}

}
