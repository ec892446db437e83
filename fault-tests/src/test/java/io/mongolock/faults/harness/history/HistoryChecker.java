package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * Judges a history by the promises of the lock: exclusion, rising fences, no lost update,
 * no orphan, losses told in time. Immutable.
 */
public final class HistoryChecker {

	/**
	 * Judge a history.
	 * @param history the history
	 * @return what was found
	 */
	public HistoryReport check(History history) {
		Stalls stalls = new Stalls(history.stalls());
		List<Overlap> overlaps = new ArrayList<>();
		List<FenceFault> fences = new ArrayList<>();
		List<Warning> warnings = new ArrayList<>();
		List<FalseCheck> falseChecks = new ArrayList<>();
		ByKey.of(history).forEach((key, one) -> {
			List<Grant> grants = one.grants();
			OverlapCheck.find(one.sections(), one.losses())
				.forEach((overlap) -> overlaps.add(overlap.explainedBy(stalls)));
			fences.addAll(FenceCheck.find(key, grants));
			warnings.addAll(WarningCheck.find(one.losses(), grants, stalls));
			falseChecks.addAll(FalseCheck.find(one.checks(), grants));
		});
		int keys = (int) history.sections().stream().map(Section::key).distinct().count();
		return new HistoryReport(history.sections().size(), keys, open(history).size(), overlaps, fences,
				history.counters(), orphans(history), warnings, history.checks().size(), falseChecks,
				history.losses().size(), Timings.of(history));
	}

	private static List<Held> orphans(History history) {
		Set<String> inUse = open(history).stream()
			.map((section) -> section.fence() + " " + section.key())
			.collect(Collectors.toSet());
		return history.held().stream().filter((held) -> !inUse.contains(held.fence() + " " + held.key())).toList();
	}

	private static List<Section> open(History history) {
		return history.sections().stream().filter((section) -> section.outcome() == Outcome.OPEN).toList();
	}

}
