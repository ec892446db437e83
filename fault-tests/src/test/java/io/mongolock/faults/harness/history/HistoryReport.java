package io.mongolock.faults.harness.history;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.Violation.Kind;

/**
 * What the checker found: how many critical sections, losses that were notified, checks
 * that said "held", acknowledged writes and numbers; sections of the same key at a time;
 * what was not as promised; how sections of each key ended; and how long it took from a
 * claim to its grant, from the death of a holder to the next section, and for leases that
 * a process kept and nobody used. Immutable.
 */
public record HistoryReport(int sections, int losses, int checks, int writes, int numbers, int faults,
		List<Overlap> overlaps, List<Violation> found, SortedMap<String, String> outcomes, Spread granted,
		Spread takenOver, Spread unused) {

	private static final int MAX_PRINTED = 50;

	// What was not as promised, a sentence each
	public List<String> violations() {
		return this.found.stream().map(Violation::toString).toList();
	}

	public List<String> fences() {
		return violations(Kind.FENCE);
	}

	public List<String> falseChecks() {
		return violations(Kind.FALSE_CHECK);
	}

	private List<String> violations(Kind kind) {
		return this.found.stream().filter((one) -> one.kind() == kind).map(Violation::toString).toList();
	}

	// How long sections overlapped before, or after, a holder was notified of its loss
	public long overlapNanos(boolean notified) {
		return this.overlaps.stream()
			.mapToLong((overlap) -> (notified) ? overlap.notifiedNanos() : overlap.unawareNanos())
			.sum();
	}

	public String toTable() {
		return """
				sections %d, losses notified %d, checks %d, writes %d, numbers %d, faults %d
				%s
				overlap before notified %s, of which silent %d times; after notified %s
				claim to grant %s
				death to take-over %s
				kept by nobody %s
				%d violations
				%s""".formatted(this.sections, this.losses, this.checks, this.writes, this.numbers, this.faults,
				this.outcomes.entrySet()
					.stream()
					.map((key) -> key.getKey() + ": " + key.getValue())
					.collect(Collectors.joining("\n")),
				Spread.millis(overlapNanos(false)), this.overlaps.stream().filter(Overlap::isSilent).count(),
				Spread.millis(overlapNanos(true)), this.granted, this.takenOver, this.unused, this.found.size(),
				this.found.stream()
					.limit(MAX_PRINTED)
					.map((one) -> (one.around().isEmpty()) ? one.text() : one.text() + "\n" + one.around())
					.collect(Collectors.joining("\n")));
	}

}
