package io.mongolock.faults.harness.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The report of a run, written when the run ends. Thread-safe.
 */
final class FaultMatrix implements AutoCloseable {

	private final Path file;

	private final long seed = Long.getLong("fault-matrix.seed", ThreadLocalRandom.current().nextLong());

	private final List<RowResult> results = new ArrayList<>();

	private final Map<String, RowFigures> figures = new ConcurrentHashMap<>();

	FaultMatrix(Path file) {
		this.file = file;
	}

	RowFigures figures(String test) {
		return this.figures.computeIfAbsent(test, (any) -> new RowFigures(this.seed));
	}

	synchronized void add(RowResult result) {
		this.results.add(result);
	}

	@Override
	public synchronized void close() {
		MatrixTable table = new MatrixTable(FaultRow.all(), this.results);
		try {
			Files.createDirectories(this.file.toAbsolutePath().getParent());
			Files.writeString(this.file,
					table.write(System.getProperty("fault-matrix.version", "unknown"), Instant.now(), this.seed));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The fault matrix " + this.file + " cannot be written", ex);
		}
		System.out.println(table.summary() + " More in " + this.file);
	}

}
