package io.mongolock.faults.matrix;

/**
 * What became of a test that shows a row.
 *
 * @param row the number of the row
 * @param level the level that it is shown at
 * @param shows what is shown
 * @param figures what was measured, empty if nothing was
 * @param server which server it ran on, empty if none
 * @param outcome what became of it
 */
record RowResult(int row, Level level, String shows, String figures, String server, String outcome) {

	static final String PASSED = "shown";

	static final String FAILED = "FAILED";

	static String notRun(String reason) {
		return "not run: " + reason;
	}

}
