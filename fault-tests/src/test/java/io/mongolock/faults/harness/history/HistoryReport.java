package io.mongolock.faults.harness.history;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the checker found: how many critical sections, losses that were notified, and
 * checks that said "held"; what was wrong of each kind, where the others are lost
 * updates, orphans and losses notified too late; and how long it took from a claim to its
 * grant, and from the death of a holder to the next section. Immutable.
 */
public record HistoryReport(int sections, int losses, int checks, List<Overlap> overlaps, List<String> fences,
		List<String> falseChecks, List<String> others, Spread granted, Spread takenOver) {

	// What was not as promised, a sentence each
	public List<String> violations() {
		Stream<String> forbidden = this.overlaps.stream().filter(Overlap::isForbidden).map(Overlap::toString);
		return Stream.of(forbidden, this.fences.stream(), this.falseChecks.stream(), this.others.stream())
			.flatMap((kind) -> kind)
			.toList();
	}

	// How long sections overlapped before, or after, a holder was notified of its loss
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
				this.granted, this.takenOver, violations().size(),
				violations().stream().limit(50).collect(Collectors.joining("\n")));
	}

}
