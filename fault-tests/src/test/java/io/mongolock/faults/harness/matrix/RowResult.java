package io.mongolock.faults.harness.matrix;

/**
 * What became of a test that shows a row.
 *
 * @param row the number of the row
 * @param level the level that it is shown at
 * @param shows what is shown
 * @param figures what was measured, empty if nothing was
 * @param server which server it ran on, empty if none
 * @param outcome what became of it
 * @param lacks what the row calls for and this test does not show, empty if nothing
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

	String told() {
		return (isPassed() && !this.lacks.isEmpty()) ? "shown in part: " + this.lacks : this.outcome;
	}

}
