package io.mongolock.faults.guarantees;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;

/**
 * The promises, as {@code docs/guarantees.md} names them, the rows that show them, and
 * what the simulation and the search call a history that breaks them.
 */
enum Promise {

	EXCLUSION("1, 4–8, 16–21, 24–28, 46, 60–61, 72, 92–93",
			"that the margin covers the pause between a check and the act that follows it", "OVERLAP", "LIMIT"),

	FENCE("11, 16–20, 24–26, 29–30, 46, 60, 72, 90", "that no server's clock goes back over a deletion of the document",
			"FENCE"),

	NO_GHOST("8–12, 22–23, 44, 67, 82, 94–95", "", "GHOST"),

	IN_TIME("5–7, 10–13, 18, 28, 34, 52–53, 61, 72", "that a thread which is interrupted looks", "TOLD_LATE", "REVIVED",
			"BEGUN_LOST", "OUTCOME"),

	WITHIN_ONE_INSTANCE("38, 50, 60–61", "", "STREAK"),

	LINGER("72, 86–91", "that a server delivers what its stream has seen", "KEPT"),

	PROGRESS("3, 42–43, 54–58, 70, 81", "that no place is passed for ever beyond the limits that the queue names",
			"PROGRESS", "ORDER", "NEEDLESS"),

	NOTHING_HIDDEN("13–15, 21–23, 32, 48, 80, 85", "");

	private final SortedSet<Integer> rows;

	private final String argued;

	private final Set<String> broken;

	Promise(String rows, String argued, String... broken) {
		this.rows = RowNumbers.parse(rows);
		this.argued = argued;
		this.broken = Set.copyOf(Arrays.asList(broken));
	}

	SortedSet<Integer> rows() {
		return this.rows;
	}

	/**
	 * What no test can show; empty if nothing.
	 */
	String argued() {
		return this.argued;
	}

	/**
	 * The kinds of violations that break it.
	 */
	Set<String> broken() {
		return this.broken;
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
