package io.mongolock.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts the leases that are due into groups, one request each: the most urgent first, like
 * operation timeouts only, so that a short one never cuts short the request for others,
 * and none with more others than it may go with.
 */
final class RenewalQueue {

	private final List<List<RenewalPlan>> groups = new ArrayList<>();

	private RenewalQueue() {
	}

	/**
	 * Group what is due.
	 * @return the groups in the order of their most urgent lease, each with one that is
	 * due
	 */
	static List<List<RenewalPlan>> of(Collection<RenewalPlan> plans, ClockReading now) {
		List<RenewalPlan> due = new ArrayList<>();
		for (RenewalPlan plan : plans) {
			if (plan.isWaiting() && plan.isDueSoon(now)) {
				plan.queue(now);
				due.add(plan);
			}
		}
		Collections.sort(due);
		RenewalQueue queue = new RenewalQueue();
		queue.add(due);
		queue.groups.removeIf((group) -> group.stream().noneMatch((plan) -> plan.isDue(now)));
		return queue.groups;
	}

	private void add(List<RenewalPlan> due) {
		Map<Kind, List<RenewalPlan>> open = new HashMap<>();
		for (RenewalPlan plan : due) {
			Kind kind = new Kind(plan.most(), timeoutClass(plan.lease()));
			List<RenewalPlan> group = open.get(kind);
			if (group == null || group.size() == plan.most()) {
				group = new ArrayList<>();
				this.groups.add(group);
				open.put(kind, group);
			}
			group.add(plan);
		}
	}

	// Within one class the longest timeout is less than twice the shortest
	private static int timeoutClass(Lease lease) {
		return Long.SIZE - Long.numberOfLeadingZeros(lease.terms().operationTimeout().toMillis());
	}

	private record Kind(int most, int timeoutClass) {

	}

}
