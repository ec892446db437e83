package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Held;

/**
 * What the checker found. Immutable.
 *
 * @param sections how many critical sections there were
 * @param keys how many keys they were of
 * @param open how many of them the history does not see the end of
 * @param overlaps sections that were in force together beyond the limit
 * @param fences fences that did not rise
 * @param counters all guarded counters
 * @param orphans locks that the store held in the end, and nobody else
 * @param warnings losses, and the next grants of their keys
 * @param checks how many times holders that asked were told that they hold
 * @param falseChecks of these, those that were wrong
 * @param losses how many losses were told at all
 * @param timings how long it took
 */
public record HistoryReport(int sections, int keys, int open, List<Overlap> overlaps, List<FenceFault> fences,
		List<Counted> counters, List<Held> orphans, List<Warning> warnings, int checks, List<FalseCheck> falseChecks,
		int losses, Timings timings) {

	/**
	 * Whether all promises were kept.
	 * @return whether there are no violations
	 */
	public boolean isClean() {
		return violations().isEmpty();
	}

	/**
	 * What was not as promised.
	 * @return a sentence each
	 */
	public List<String> violations() {
		List<String> violations = new ArrayList<>();
		this.overlaps.stream().filter(Overlap::isForbidden).map(HistoryReport::describe).forEach(violations::add);
		this.fences.stream().map(HistoryReport::describe).forEach(violations::add);
		this.counters.stream()
			.filter((counter) -> counter.actual() != counter.expected())
			.map(HistoryReport::describe)
			.forEach(violations::add);
		this.orphans.stream()
			.map((held) -> "orphan: '" + held.key() + "' is still held, fence " + held.fence() + ", by " + held.owner())
			.forEach(violations::add);
		this.warnings.stream().filter(Warning::isTooLate).map(HistoryReport::describe).forEach(violations::add);
		this.falseChecks.stream().map(FalseCheck::toString).forEach(violations::add);
		return violations;
	}

	/**
	 * How long sections overlapped before a holder was told.
	 * @return nanoseconds by key, without keys that did not
	 */
	public Map<String, Long> overlapNanosByKey() {
		return this.overlaps.stream()
			.filter((overlap) -> !overlap.told())
			.collect(Collectors.toMap((overlap) -> overlap.older().key(), Overlap::nanos, Long::sum, TreeMap::new));
	}

	/**
	 * How long sections overlapped.
	 * @param told whether after a holder had been told, or before
	 * @return nanoseconds
	 */
	public long overlapNanos(boolean told) {
		return this.overlaps.stream().filter((overlap) -> overlap.told() == told).mapToLong(Overlap::nanos).sum();
	}

	/**
	 * The report for diagnostics.
	 * @return a table of figures, and the violations
	 */
	public String toTable() {
		return ReportTable.of(this);
	}

	/**
	 * Nanoseconds for diagnostics.
	 * @param nanos the nanoseconds
	 * @return milliseconds with three digits
	 */
	static String millis(long nanos) {
		return String.format(Locale.ROOT, "%.3f ms", nanos / 1_000_000.0);
	}

	private static String describe(Overlap overlap) {
		Section older = overlap.older();
		Section newer = overlap.newer();
		return "overlap of " + millis(overlap.nanos()) + " on '" + older.key() + "': fence " + older.fence() + " of "
				+ older.holder() + " (told " + older.outcome() + ", not running for " + millis(overlap.stalledNanos())
				+ ") with fence " + newer.fence() + " of " + newer.holder();
	}

	private static String describe(FenceFault fault) {
		return "fence of '" + fault.key() + "' did not rise: " + fault.fence() + " to " + fault.holder() + " after "
				+ fault.before() + " to " + fault.holderBefore();
	}

	private static String describe(Counted counter) {
		return "lost updates: counter '" + counter.name() + "' stands at " + counter.actual() + ", not at "
				+ counter.expected();
	}

	private static String describe(Warning warning) {
		return "told too late: the loss of '" + warning.key() + "', fence " + warning.fence() + ", "
				+ millis(-warning.leadNanos()) + " after the grant of fence " + warning.nextFence();
	}

}
