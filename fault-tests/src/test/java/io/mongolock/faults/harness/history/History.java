package io.mongolock.faults.harness.history;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Granted;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryRecord.Waited;

/**
 * All that was written down about a run. Immutable.
 *
 * @param sections the critical sections
 * @param claims all claims that ended
 * @param grants those that were granted
 * @param losses which holders were told of a loss
 * @param counters what guarded counters stood at in the end
 * @param checks what holders were told when they asked
 * @param stalls when processes did not run
 * @param held which locks the store held in the end
 */
public record History(List<Section> sections, List<Waited> claims, List<Granted> grants, List<Lost> losses,
		List<Counted> counters, List<Checked> checks, List<Stalled> stalls, List<Held> held) {

	/**
	 * Put records together. Their order does not matter.
	 * @param records the records
	 * @return the history
	 */
	public static History of(Collection<HistoryRecord> records) {
		Map<String, Left> left = only(records, Left.class)
			.collect(Collectors.toMap(Left::section, Function.identity(), History::told));
		Map<String, Died> died = index(only(records, Died.class), Died::process);
		List<Section> sections = only(records, Entered.class)
			.map((entered) -> section(entered, left.get(entered.section()), died.get(entered.process())))
			.toList();
		return new History(sections, only(records, Waited.class).toList(), only(records, Granted.class).toList(),
				only(records, Lost.class).toList(), only(records, Counted.class).toList(),
				only(records, Checked.class).toList(), only(records, Stalled.class).toList(),
				only(records, Held.class).toList());
	}

	private static Section section(Entered entered, @Nullable Left left, @Nullable Died died) {
		if (left != null) {
			return Section.of(entered, left.nanos(), left.outcome());
		}
		return (died != null) ? Section.of(entered, died.nanos(), Outcome.DIED)
				: Section.of(entered, entered.nanos(), Outcome.OPEN);
	}

	private static Left told(Left one, Left other) {
		return (one.outcome() != Outcome.DIED) ? one : other;
	}

	private static <T> Stream<T> only(Collection<HistoryRecord> records, Class<T> type) {
		return records.stream().filter(type::isInstance).map(type::cast);
	}

	private static <T> Map<String, T> index(Stream<T> records, Function<T, String> by) {
		return records.collect(Collectors.toMap(by, Function.identity(), (first, second) -> first));
	}

}
