package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Looks for a fence given out twice, or not higher than that of a grant known before this
 * one can have happened.
 */
final class FenceCheck {

	private FenceCheck() {
	}

	static List<FenceFault> find(String key, Collection<Grant> grants) {
		List<FenceFault> faults = new ArrayList<>(doubles(key, grants));
		Iterator<Grant> known = sorted(grants, Comparator.comparingLong(Grant::knownNanos)).iterator();
		@Nullable Grant next = (known.hasNext()) ? known.next() : null;
		@Nullable Grant highest = null;
		for (Grant grant : sorted(grants, Comparator.comparingLong(Grant::earliestNanos))) {
			while (next != null && next.knownNanos() < grant.earliestNanos()) {
				highest = (highest == null || next.fence() > highest.fence()) ? next : highest;
				next = (known.hasNext()) ? known.next() : null;
			}
			if (highest != null && grant.fence() < highest.fence()) {
				faults.add(fault(key, grant, highest));
			}
		}
		return faults;
	}

	private static List<FenceFault> doubles(String key, Collection<Grant> grants) {
		List<FenceFault> faults = new ArrayList<>();
		Map<Long, Grant> byFence = new HashMap<>();
		for (Grant grant : sorted(grants, Comparator.comparingLong(Grant::knownNanos))) {
			Grant first = byFence.putIfAbsent(grant.fence(), grant);
			if (first != null) {
				faults.add(fault(key, grant, first));
			}
		}
		return faults;
	}

	private static FenceFault fault(String key, Grant grant, Grant before) {
		return new FenceFault(key, grant.fence(), grant.holder(), before.fence(), before.holder());
	}

	private static List<Grant> sorted(Collection<Grant> grants, Comparator<Grant> order) {
		return grants.stream().sorted(order).toList();
	}

}
