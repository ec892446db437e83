package io.mongolock.faults.harness.matrix;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The report of a run, written when the run ends. Thread-safe.
 */
final class FaultMatrix implements AutoCloseable {

	private final List<RowResult> results = new ArrayList<>();

	private final Map<String, RowFigures> figures = new ConcurrentHashMap<>();

	private final Path file;

	private final RunInfo run;

	private final PrintStream log;

	FaultMatrix(Path file, RunInfo run, PrintStream log) {
		this.file = file;
		this.run = run;
		this.log = log;
	}

	static FaultMatrix ofThisRun() {
		return new FaultMatrix(Path.of(System.getProperty("fault-matrix.file", "target/fault-matrix.md")),
				RunInfo.ofThisRun(Instant.now()), System.out);
	}

	RowFigures figures(String test) {
		return this.figures.computeIfAbsent(test, (any) -> new RowFigures(this.run.seed()));
	}

	synchronized void add(RowResult result) {
		this.results.add(result);
	}

	@Override
	public synchronized void close() {
		try {
			Files.createDirectories(this.file.toAbsolutePath().getParent());
			MatrixTable table = new MatrixTable(this.run);
			Files.writeString(this.file, table.write(FaultRow.all(), this.results));
			this.log.println(table.summary(FaultRow.all(), this.results) + " More in " + this.file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The fault matrix " + this.file + " cannot be written", ex);
		}
	}

}
