package io.mongolock.faults.harness.history;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.mongolock.faults.harness.history.HistoryRecord.Lost;

/**
 * Measures how long before the next grant each loss was told.
 */
final class WarningCheck {

	private WarningCheck() {
	}

	static List<Warning> find(Collection<Lost> losses, Collection<Grant> grants, Stalls stalls) {
		return losses.stream().flatMap((loss) -> warning(loss, grants, stalls)).toList();
	}

	private static Stream<Warning> warning(Lost loss, Collection<Grant> grants, Stalls stalls) {
		return grants.stream()
			.filter((grant) -> grant.fence() == loss.fence())
			.findFirst()
			.stream()
			.flatMap((lost) -> next(lost, grants)
				.map((next) -> new Warning(loss.key(), loss.fence(), next.fence(), next.knownNanos() - loss.toldNanos(),
						stalls.nanos(lost.process(), lost.knownNanos(), loss.toldNanos()))));
	}

	private static Stream<Grant> next(Grant lost, Collection<Grant> grants) {
		return grants.stream()
			.filter((grant) -> grant.fence() > lost.fence() && grant.excludes(lost))
			.min(Comparator.comparingLong(Grant::knownNanos))
			.stream();
	}

}
