package io.mongolock.faults.harness.history;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the checker found. Immutable.
 *
 * @param sections how many critical sections there were
 * @param losses how many losses were told
 * @param checks how many times holders that asked were told that they hold
 * @param overlaps sections of one key at a time
 * @param fences fences that did not rise
 * @param falseChecks checks that were wrong
 * @param others lost updates, orphans, and losses told too late
 * @param timings how long it took
 */
public record HistoryReport(int sections, int losses, int checks, List<Overlap> overlaps, List<String> fences,
		List<String> falseChecks, List<String> others, Timings timings) {

	// What was not as promised, a sentence each
	public List<String> violations() {
		Stream<String> forbidden = this.overlaps.stream().filter(Overlap::isForbidden).map(Overlap::toString);
		return Stream.of(forbidden, this.fences.stream(), this.falseChecks.stream(), this.others.stream())
			.flatMap((kind) -> kind)
			.toList();
	}

	// How long sections overlapped before, or after, a holder was told of its loss
	public long overlapNanos(boolean told) {
		return this.overlaps.stream()
			.mapToLong((overlap) -> (told) ? overlap.toldNanos() : overlap.untoldNanos())
			.sum();
	}

	public String toTable() {
		return """
				sections %d, losses told %d, checks %d
				overlap before told %s, of which silent %d times; after told %s
				claim to grant %s
				death to take-over %s
				%d violations
				%s""".formatted(this.sections, this.losses, this.checks, Spread.millis(overlapNanos(false)),
				this.overlaps.stream().filter(Overlap::isSilent).count(), Spread.millis(overlapNanos(true)),
				this.timings.granted(), this.timings.takenOver(), violations().size(),
				violations().stream().limit(50).collect(Collectors.joining("\n")));
	}

}
