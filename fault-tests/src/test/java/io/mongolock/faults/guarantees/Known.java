package io.mongolock.faults.guarantees;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.mongolock.faults.harness.WrappedText;
import io.mongolock.faults.mutants.Noticed;
import io.mongolock.faults.simulation.Searched;

/**
 * Writes how each promise is known: from the scopes of the search, the mutants and who
 * notices them, and the matrix of the last full run. What knows of a promise in another
 * way is a line of {@link #OTHERS}.
 */
final class Known {

	private static final String TESTS = "fault-tests/src/test/java/io/mongolock/faults/";

	static final List<Other> OTHERS = List.of(
			new Other(
					"what real processes did (rows 46 and 72), [judged again](README.md#a-second-opinion)"
							+ " as operations on registers with a fence",
					TESTS + "harness/register/Registers.java", Promise.EXCLUSION, Promise.FENCE),
			new Other("whole clients whose leases linger, simulated; they hear of no recall",
					"fault-tests/src/main/java/io/mongolock/faults/simulation/ClientSimulation.java", Promise.LINGER),
			new Other(
					"[specified](spec/README.md) in TLA+, checked by TLC in all states of three clients that are answered at"
							+ " once, and of two with a late message, and walked on the statements of the store",
					TESTS + "spec/SpecCheckTests.java", Promise.EXCLUSION, Promise.FENCE, Promise.NO_GHOST,
					Promise.IN_TIME),
			new Other(
					"the threads of a client in many orders, under [a model checker](README.md#in-which-order-threads-take-turns)",
					TESTS + "harness/ThreadOrders.java", Promise.WITHIN_ONE_INSTANCE, Promise.LINGER, Promise.IN_TIME,
					Promise.PROGRESS));

	private static final String HEAD = """
			# How each promise is known

			Which tests stand behind each [promise](../docs/guarantees.md). `GuaranteesTests` writes this page from what they are made of:

			    ./mvnw -pl fault-tests -am test -Dtest=GuaranteesTests -Dpages.write -Dsurefire.failIfNoSpecifiedTests=false

			""";

	private static final Pattern ROW = Pattern.compile("row (\\d+) \\(.*");

	private final List<List<String>> mutants = Noticed.all();

	private final Map<Integer, Place> places;

	Known() throws IOException {
		this.places = Place.ofRows();
	}

	// The whole page, as Markdown
	List<String> lines() throws IOException {
		List<String> lines = new ArrayList<>(HEAD.lines().toList());
		legend().forEach((text) -> lines.addAll(WrappedText.lines(text)));
		lines.add("");
		lines.add("| promise | simulation | search | rows | "
				+ Arrays.stream(Place.values()).map(Place::toString).collect(Collectors.joining(" | ")) + " |");
		lines.add("|---|---|---|---|---|---|---|---|");
		Arrays.stream(Promise.values()).map(this::row).forEach(lines::add);
		lines.addAll(List.of("", "Known in other ways, too:", ""));
		OTHERS.forEach((other) -> lines.addAll(WrappedText.lines(other.toString())));
		lines.addAll(List.of("", "Only argued:", ""));
		Arrays.stream(Promise.values())
			.filter((promise) -> !promise.argued().isEmpty())
			.map((promise) -> "- *" + promise + "*: " + promise.argued() + ".")
			.forEach(lines::add);
		return lines;
	}

	private List<String> legend() throws IOException {
		long histories = histories();
		return List.of(
				"- *Simulation*, *search* and *rows* count the products that are broken on purpose in that promise, and"
						+ " noticed there. There are " + this.mutants.size() + " such products in all.",
				String.format(
						"- The *simulation* draws %,d histories of the clients' decisions in each build that guards main, and"
								+ " %,d of whole clients with their threads. These notice %d broken products, whatever the promise.",
						histories, histories / 5, noticed("the simulation of clients"::equals)),
				"- The [*search*](README.md#searched-histories) runs all histories of a few clients: " + Searched
					.scopes()
					.entrySet()
					.stream()
					.map((scopes) -> "with at most "
							+ ((scopes.getKey() == 1) ? "one unusual choice" : scopes.getKey() + " unusual choices")
							+ " for "
							+ scopes.getValue()
								.stream()
								.map((scope) -> "`" + scope + "`")
								.collect(Collectors.joining(", ")))
					.collect(Collectors.joining("; ")) + ". Builds without `-Pfull` take one.",
				"- The other columns name *rows* of the [fault matrix](fault-matrix.md), each where its last full run"
						+ " showed it closest to production." + newer());
	}

	private String newer() {
		String newer = RowNumbers.format(Arrays.stream(Promise.values())
			.flatMap((promise) -> promise.rows().stream())
			.filter((row) -> !this.places.containsKey(row))
			.toList());
		return (newer.isEmpty()) ? "" : " Newer than that run: " + newer + ".";
	}

	// Of decisions, in each build that guards main
	private static long histories() throws IOException {
		Matcher number = Pattern.compile("-Dsimulation.histories=(\\d+)")
			.matcher(Files.readString(Path.of("..", ".ci", "run")));
		if (!number.find()) {
			throw new IllegalStateException("Nothing says how many histories are simulated");
		}
		return Long.parseLong(number.group(1));
	}

	private String row(Promise promise) {
		Stream<String> mutants = Stream.of(noticed("the simulation", promise), noticed("the search", promise),
				number(noticed((judge) -> isOfRow(judge, promise))));
		return Stream
			.of(Stream.of(promise.toString()), mutants,
					Arrays.stream(Place.values()).map((place) -> rows(promise, place)))
			.flatMap((cells) -> cells)
			.collect(Collectors.joining(" | ", "| ", " |"));
	}

	// Of a judge whose name says what it finds, in brackets
	private String noticed(String judge, Promise promise) {
		return number(noticed((name) -> name.startsWith(judge)
				&& promise.broken().stream().anyMatch((kind) -> name.endsWith("(" + kind + ")"))));
	}

	private static boolean isOfRow(String judge, Promise promise) {
		Matcher row = ROW.matcher(judge);
		return row.matches() && promise.rows().contains(Integer.valueOf(row.group(1)));
	}

	private long noticed(Predicate<String> judge) {
		return this.mutants.stream().filter((judges) -> judges.stream().anyMatch(judge)).count();
	}

	private static String number(long number) {
		return (number == 0) ? "" : String.valueOf(number);
	}

	private String rows(Promise promise, Place place) {
		return RowNumbers.format(promise.rows().stream().filter((row) -> this.places.get(row) == place).toList());
	}

	/**
	 * Another way in which promises are known.
	 *
	 * @param way what it is
	 * @param source the file that has it, from the root folder
	 */
	record Other(String way, String source, List<Promise> promises) {

		Other(String way, String source, Promise... promises) {
			this(way, source, List.of(promises));
		}

		@Override
		public String toString() {
			return "- *" + this.promises.stream().map(Promise::toString).collect(Collectors.joining("*, *")) + "*: "
					+ this.way + ".";
		}

	}

}
