package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.mongolock.faults.harness.history.HistoryRecord.ClaimOutcome;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Waited;

/**
 * How long it took. Immutable.
 *
 * @param granted from the claim to its grant
 * @param denied from the claim to any other answer
 * @param handedOver from the end of an exclusive section to the next one whose claim had
 * been waiting
 * @param takenOver from the death of a holder to the next section
 */
public record Timings(Spread granted, Spread denied, Spread handedOver, Spread takenOver) {

	/**
	 * Measure a history.
	 * @param history the history
	 * @return its timings
	 */
	static Timings of(History history) {
		List<Long> handedOver = new ArrayList<>();
		List<Long> takenOver = new ArrayList<>();
		ByKey.of(history).values().forEach((one) -> gaps(one, handedOver, takenOver));
		return new Timings(Spread.of(waits(history.claims(), true)), Spread.of(waits(history.claims(), false)),
				spread(handedOver), spread(takenOver));
	}

	private static LongStream waits(Collection<Waited> claims, boolean granted) {
		return claims.stream()
			.filter((claim) -> (claim.outcome() == ClaimOutcome.GRANTED) == granted)
			.mapToLong((claim) -> claim.endedNanos() - claim.begunNanos());
	}

	private static void gaps(ByKey one, List<Long> handedOver, List<Long> takenOver) {
		Map<Long, Long> asked = one.askedNanos();
		List<Section> sections = one.sections()
			.stream()
			.filter((section) -> section.limit() == 1)
			.sorted(Comparator.comparingLong(Section::enteredNanos))
			.toList();
		for (int i = 1; i < sections.size(); i++) {
			Section last = sections.get(i - 1);
			Section next = sections.get(i);
			long gap = next.enteredNanos() - last.leftNanos();
			if (gap < 0 || last.outcome() == Outcome.OPEN) {
				continue;
			}
			if (last.outcome() == Outcome.DIED) {
				takenOver.add(gap);
			}
			else if (asked.getOrDefault(next.fence(), next.enteredNanos()) <= last.leftNanos()) {
				handedOver.add(gap);
			}
		}
	}

	private static Spread spread(List<Long> nanos) {
		return Spread.of(nanos.stream().mapToLong(Long::longValue));
	}

}
