package io.mongolock.faults.harness.matrix;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What became of a test that shows a row. Figures, server, and what the row calls for and
 * the test lacks are empty if there are none.
 */
record RowResult(int row, Level level, String shows, String figures, String server, String outcome, String lacks) {

	static final String PASSED = "shown";

	static final String FAILED = "FAILED";

	static final String NOT_RUN = "not run: ";

	/**
	 * A result that another JVM wrote by {@link #toLine}.
	 */
	static RowResult ofLine(String line) {
		String[] cells = line.split("\t", -1);
		return new RowResult(Integer.parseInt(cells[0]), Level.valueOf(cells[1]), cells[2], cells[3], cells[4],
				cells[5], cells[6]);
	}

	String toLine() {
		return Stream
			.of(String.valueOf(this.row), this.level.name(), this.shows, this.figures, this.server, this.outcome,
					this.lacks)
			.map((cell) -> cell.replaceAll("\t|\\R", " "))
			.collect(Collectors.joining("\t"));
	}

	boolean isPassed() {
		return this.outcome.equals(PASSED);
	}

	boolean isFailed() {
		return this.outcome.equals(FAILED);
	}

	String said() {
		return (isPassed() && !this.lacks.isEmpty()) ? "shown in part: " + this.lacks : this.outcome;
	}

}
