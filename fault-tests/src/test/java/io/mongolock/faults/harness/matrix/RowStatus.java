package io.mongolock.faults.harness.matrix;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the tests of a run say together about one row.
 *
 * @param row the row
 * @param kind how far it is shown
 * @param detail what is missing, empty if nothing
 */
record RowStatus(FaultRow row, Kind kind, String detail) {

	static RowStatus of(FaultRow row, List<RowResult> results) {
		List<RowResult> passed = results.stream().filter(RowResult::isPassed).toList();
		if (passed.isEmpty() || results.stream().anyMatch(RowResult::isFailed)) {
			return new RowStatus(row, Kind.NOT_SHOWN, (passed.isEmpty()) ? "" : "a test failed");
		}
		List<RowResult> whole = passed.stream().filter((result) -> result.lacks().isEmpty()).toList();
		if (whole.isEmpty()) {
			return new RowStatus(row, Kind.IN_PART,
					passed.stream().map(RowResult::lacks).distinct().collect(Collectors.joining("; ")));
		}
		SortedSet<Level> levels = new TreeSet<>(whole.stream().map(RowResult::level).toList());
		return (row.isSatisfiedBy(levels)) ? new RowStatus(row, Kind.AS_CALLED_FOR, "")
				: new RowStatus(row, Kind.AT_ANOTHER_LEVEL,
						levels.stream().map(Level::toString).collect(Collectors.joining(" and ")) + " instead of "
								+ row.calledFor());
	}

	@Override
	public String toString() {
		return this.row.number() + ((this.detail.isEmpty()) ? "" : " (" + this.detail + ")");
	}

	/**
	 * How far a row is shown.
	 */
	enum Kind {

		AS_CALLED_FOR("shown at the level they call for"), AT_ANOTHER_LEVEL("shown at another level only"),
		IN_PART("shown in part"), NOT_SHOWN("not shown");

		private final String text;

		Kind(String text) {
			this.text = text;
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

}
