package io.mongolock.faults.harness.matrix;

/**
 * What became of a test that shows a row. Figures, server, and what the row calls for and
 * the test lacks are empty if there are none.
 */
record RowResult(int row, Level level, String shows, String figures, String server, String outcome, String lacks) {

	static final String PASSED = "shown";

	static final String FAILED = "FAILED";

	static final String NOT_RUN = "not run: ";

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
