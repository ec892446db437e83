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
 * {@code figures.md} with its pictures. Runs in the directory of its module.
 */
public final class ComparisonBenchmark {

	private static final Path RESULTS = Path.of("target", "performance");

	private ComparisonBenchmark() {
	}

	public static void main(String[] args) throws IOException {
		run(Extent.FULL);
	}

	static void run(Extent extent) throws IOException {
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
			Path images = Files.createDirectories(RESULTS.resolve("images"));
			Files.writeString(images.resolve("one-key-busy.svg"), busy.toSvg());
			Files.writeString(images.resolve("one-key-idle.svg"), idle.toSvg());
			report.append(report(servers, machine, extent, tables));
		}
		report.append(Jvms.tables(GoalsBenchmark.class, extent.overhead()))
			.append(Jvms.tables(DocumentBenchmark.class, extent.documents()));
		Files.writeString(RESULTS.resolve("figures.md"), report.toString().stripTrailing() + "\n");
	}

	private static String report(Servers servers, String machine, Extent extent, List<Table> tables) {
		StringBuilder text = new StringBuilder("- Server: ").append(servers.mongo()).append(".\n");
		text.append("- Machine: ").append(machine).append(".\n");
		if (extent == Extent.QUICK) {
			text.append("- A quick run: figures are rough.\n");
		}
		servers.notes().forEach((note) -> text.append("- ").append(note).append('\n'));
		text.append("\n![One key, 1 ms of work](images/one-key-busy.svg)\n\n")
			.append("![One key, no work](images/one-key-idle.svg)\n\n");
		tables.forEach((table) -> text.append(table.toMarkdown()));
		return text.toString();
	}

}
