package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * How long it took.
 *
 * @param granted from the claim to its grant
 * @param takenOver from the death of a holder to the next section
 */
public record Timings(Spread granted, Spread takenOver) {

	static Timings of(Collection<List<Section>> keys) {
		List<Long> granted = new ArrayList<>();
		List<Long> takenOver = new ArrayList<>();
		for (List<Section> sections : keys) {
			Section last = null;
			for (Section section : sections) {
				granted.add(section.enteredNanos() - section.entered().askedNanos());
				if (last != null && last.outcome() == Outcome.DIED && section.enteredNanos() >= last.leftNanos()) {
					takenOver.add(section.enteredNanos() - last.leftNanos());
				}
				last = section;
			}
		}
		return new Timings(Spread.of(granted), Spread.of(takenOver));
	}

}
