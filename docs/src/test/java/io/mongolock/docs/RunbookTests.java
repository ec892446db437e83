package io.mongolock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * docs/log-messages.md has each WARN and ERROR of the library, and no other.
 */
class RunbookTests {

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();

	private static final Pattern ENTRY = Pattern.compile("^\\| `([^`]+)` \\| [^|]+ \\|$", Pattern.MULTILINE);

	// What else may end with an error, or has one, logs nothing
	private static final Pattern CALL = Pattern
		.compile("(?<!stream|observation|LockTags|this|Flux|Mono)(?:\\.|::)(warn|error)[(),]");

	private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");

	/** Where the texts are that a class logs and does not have itself. */
	private static final Map<String, List<String>> TEXTS = Map.of("LockLog", List.of("LockExceptions"), "LossLog",
			List.of("LockExceptions"), "ServerClockWatch", List.of("ServerClockFinding"), "LockSettingsValidator",
			List.of("LockPropertyNames"), "TtlIndexWatch", List.of("StoreCheck", "LockLocation"));

	/** What hands messages of others on has none but those in its statements. */
	private static final String RELAY = "EventLog";

	@Test
	void everyWarningAndErrorHasAnEntry() throws IOException {
		List<Entry> entries = entries();
		assertThat(calls()).hasSizeGreaterThan(20)
			.allSatisfy((call) -> assertThat(entries).as("docs/log-messages.md has no entry for %s", call)
				.anyMatch((entry) -> entry.isOf(call)));
	}

	@Test
	void everyEntryIsAMessageOfTheCode() throws IOException {
		List<Call> calls = calls();
		assertThat(entries()).hasSizeGreaterThan(20)
			.allSatisfy((entry) -> assertThat(calls).as("nothing logs what docs/log-messages.md says: %s", entry)
				.anyMatch(entry::isOf));
	}

	private static List<Entry> entries() throws IOException {
		String log = Files.readString(ROOT.resolve("docs/log-messages.md")).split("\n## What exceptions say\n")[0];
		return ENTRY.matcher(log).results().map((row) -> new Entry(row.group(1))).toList();
	}

	private static List<Call> calls() throws IOException {
		Map<String, String> sources = sources();
		return sources.keySet()
			.stream()
			.flatMap((name) -> CALL.matcher(sources.get(name)).results().map((call) -> call(name, call, sources)))
			.filter((call) -> !call.text().isEmpty())
			.toList();
	}

	private static Call call(String name, MatchResult call, Map<String, String> sources) {
		String source = sources.get(name);
		String statement = literals(source.substring(call.start(), source.indexOf(";\n", call.end())));
		int method = Math.max(source.lastIndexOf("\n\t}\n", call.start()), 0);
		String elsewhere = TEXTS.getOrDefault(name, List.of(name))
			.stream()
			.map((other) -> literals(sources.get(other)))
			.collect(Collectors.joining("…"));
		String text = Stream.of(statement, literals(source.substring(method, call.start())), elsewhere)
			.limit((name.equals(RELAY)) ? 1 : 3)
			.filter(Predicate.not(String::isEmpty))
			.findFirst()
			.orElse("");
		return new Call(name, call.group(1).toUpperCase(Locale.ROOT), text, literals(source) + elsewhere);
	}

	private static String literals(String code) {
		return LITERAL.matcher(code.replaceAll("\"\\s*\\+\\s*\"", ""))
			.results()
			.map((literal) -> literal.group(1))
			.collect(Collectors.joining("…"));
	}

	private static Map<String, String> sources() throws IOException {
		Map<String, String> sources = new TreeMap<>();
		try (Stream<Path> files = Files.walk(ROOT)) {
			for (Path file : files.filter(RunbookTests::isOfTheLibrary).toList()) {
				sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
			}
		}
		return sources;
	}

	private static boolean isOfTheLibrary(Path file) {
		String path = ROOT.relativize(file).toString().replace('\\', '/');
		return path.matches("mongo-lock-(?!test)[^/]*/src/main/java/.*\\.java");
	}

	/** A message: where it is logged, what it says there, and what its class can say. */
	private record Call(String name, String level, String text, String all) {

		@Override
		public String toString() {
			return this.level + " of " + this.name + ": " + this.text;
		}

	}

	private record Entry(String message) {

		boolean isOf(Call call) {
			List<String> parts = Stream.of(this.message.split("…")).map(String::trim).toList();
			return parts.stream().filter((part) -> part.length() >= 4).allMatch(call.all()::contains)
					&& parts.stream().filter((part) -> part.length() >= 10).anyMatch(call.text()::contains);
		}

	}

}
