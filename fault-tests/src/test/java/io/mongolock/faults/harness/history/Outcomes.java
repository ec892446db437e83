package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Numbered;
import io.mongolock.faults.harness.history.HistoryRecord.Stored;
import io.mongolock.faults.harness.history.HistoryRecord.Wrote;
import io.mongolock.faults.harness.history.Violation.Kind;

/**
 * Whether what was acknowledged is there in the end, and was given to one only.
 */
final class Outcomes {

	private Outcomes() {
	}

	static List<Violation> checkWrites(Collection<Wrote> writes, Collection<Stored> stored) {
		Map<String, Set<String>> there = stored.stream()
			.collect(Collectors.toMap(Stored::key, (one) -> new HashSet<>(one.ids())));
		return writes.stream()
			.filter((write) -> there.containsKey(write.key()) && !there.get(write.key()).contains(write.id()))
			.map((write) -> new Violation(Kind.LOST_UPDATE, write.key(), write.nanos(),
					"lost update: write " + write.id() + " with fence " + write.fence() + " is not in '" + write.key()
							+ "'"))
			.toList();
	}

	static List<Violation> checkCounter(Counted counter) {
		return (counter.actual() == counter.expected()) ? List.of()
				: List.of(new Violation(Kind.LOST_UPDATE, counter.key(), 0, "lost updates: counter '" + counter.key()
						+ "' stands at " + counter.actual() + ", not at " + counter.expected()));
	}

	static List<Violation> checkNumbers(Collection<Numbered> numbers) {
		List<Violation> violations = new ArrayList<>();
		Map<String, List<Numbered>> sequences = numbers.stream()
			.sorted(Comparator.comparingLong(Numbered::first))
			.collect(Collectors.groupingBy(Numbered::sequence));
		sequences.values().forEach((blocks) -> {
			Numbered before = blocks.get(0);
			for (Numbered block : blocks.subList(1, blocks.size())) {
				if (block.first() <= before.last()) {
					violations.add(new Violation(Kind.TWICE, block.sequence(), block.nanos(),
							"number " + block.first() + " of '" + block.sequence() + "' given twice: to process "
									+ before.process() + " and to process " + block.process()));
				}
				before = (block.last() > before.last()) ? block : before;
			}
		});
		return violations;
	}

}
