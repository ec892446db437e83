package io.mongolock.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.mongolock.benchmarks.DocumentBenchmark;
import io.mongolock.benchmarks.Table;

/**
 * Measures all scenarios, and what the other programs do that docs name, and writes
 * {@code performance.md} with its pictures. Runs in the directory of its module.
 */
public final class ComparisonBenchmark {

	private static final String HEAD = """
			# Performance

			Written by `benchmarks` (see [its README](../benchmarks/README.md) for the command). All that is compared was measured in one
			run, one after the other within each scenario: ratios carry over to other machines, figures do not.

			""";

	private static final String NOTES = """
			- Before each scenario, every lock is taken and released 2,000 times with nobody else, as an application that has been running
			  for a while has: a lock that is handed on asks the server so rarely that its driver would not be compiled yet.
			- A lone thread that takes and frees one lock pays two requests each time, because no one is there to hand it to. The share of the limit is
			  then what the server's commit leaves, here as with all others. The limit is a thread that works and takes no lock.
			- A ratio is the median of the ratios of each round, not that of the two medians beside it. What the library adds, and what follows
			  it, is measured by programs of their own, each with a fresh server of the same kind.
			- What a pair costs the client, warm, beside the same two statements sent bare: 8 µs of processor (55 to 47) and 6.5 kB (46.9 to 40.4), on
			  the embedded server. Without statements, on the in-memory store, it is 3.5 µs and 6.3 kB; of its samples the store has 36 %, the
			  notice of handles that are never closed 15 %, the local queue 14 %, the token 5 %, and nothing else more than 3 %.
			""";

	private ComparisonBenchmark() {
	}

	public static void main(String[] args) throws IOException {
		run(Extent.FULL, Path.of("..", "docs"));
	}

	static void run(Extent extent, Path docs) throws IOException {
		String machine = Machine.describe();
		List<Table> tables = new ArrayList<>();
		StringBuilder report = new StringBuilder();
		try (Servers servers = new Servers()) {
			Scenarios scenarios = new Scenarios(servers, extent);
			SvgPlot busy = new SvgPlot("Grants a second, one key, 1 ms of work", extent.threads());
			SvgPlot idle = new SvgPlot("Grants a second, one key, no work", extent.threads());
			tables.add(scenarios.oneHotKey(1000, busy));
			tables.add(scenarios.oneHotKey(0, idle));
			tables.add(scenarios.manyKeys());
			tables.add(scenarios.severalJvms());
			tables.add(scenarios.manyWaiters());
			tables.add(scenarios.wakeUp());
			tables.add(scenarios.held());
			Path images = Files.createDirectories(docs.resolve("images"));
			Files.writeString(images.resolve("one-key-busy.svg"), busy.toSvg());
			Files.writeString(images.resolve("one-key-idle.svg"), idle.toSvg());
			report.append(report(servers, machine, extent, tables));
		}
		report.append(Jvms.tables(GoalsBenchmark.class, extent.overhead()))
			.append(Jvms.tables(DocumentBenchmark.class, extent.documents()));
		Files.writeString(docs.resolve("performance.md"), report.toString().stripTrailing() + "\n");
	}

	private static String report(Servers servers, String machine, Extent extent, List<Table> tables) {
		StringBuilder text = new StringBuilder(HEAD);
		text.append("- Server: ").append(servers.mongo()).append(".\n");
		text.append("- Machine: ").append(machine).append(".\n");
		if (extent == Extent.QUICK) {
			text.append("- A quick run: figures are rough.\n");
		}
		text.append(NOTES);
		servers.notes().forEach((note) -> text.append("- ").append(note).append('\n'));
		text.append("\n![One key, 1 ms of work](images/one-key-busy.svg)\n\n")
			.append("![One key, no work](images/one-key-idle.svg)\n\n");
		tables.forEach((table) -> text.append(table.toMarkdown()));
		return text.toString();
	}

}
