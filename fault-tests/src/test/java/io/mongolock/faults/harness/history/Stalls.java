package io.mongolock.faults.harness.history;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.HistoryRecord.Stalled;

/**
 * When processes did not run. Immutable.
 */
final class Stalls {

	private final Map<String, List<Stalled>> byProcess;

	Stalls(Collection<Stalled> stalls) {
		this.byProcess = stalls.stream()
			.sorted(Comparator.comparingLong(Stalled::fromNanos))
			.collect(Collectors.groupingBy(Stalled::process));
	}

	// How long a process did not run; what was noticed twice counts once
	long nanos(String process, long from, long to) {
		long sum = 0;
		long counted = from;
		for (Stalled stall : this.byProcess.getOrDefault(process, List.of())) {
			long begun = Math.max(stall.fromNanos(), counted);
			long ended = Math.min(stall.toNanos(), to);
			if (ended > begun) {
				sum += ended - begun;
				counted = ended;
			}
		}
		return sum;
	}

}
