package io.mongolock.faults.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.mongolock.core.HeldLock;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.test.StoreLog;
import io.mongolock.test.StoreLog.Grant;

/**
 * When the store granted and freed what, as far as no failover forgot it.
 */
final class StoreTruth {

	private final Map<Grant, Granted> grants = new LinkedHashMap<>();

	private final List<Freed> freed = new ArrayList<>();

	void granted(Grant grant, long at, Set<String> holders) {
		this.grants.put(grant, new Granted(at, holders));
	}

	void freed(LeaseHistory history, long at, int length) {
		// Of another attempt, if its own did not want the grant
		HeldLock holder = history.holder;
		if (holder != null && holder.grantFence() == lastFence(history)) {
			history.freedAt = at;
			this.freed.add(new Freed(history, length));
		}
	}

	// A token whose lease ran out may have been granted anew since
	private long lastFence(LeaseHistory history) {
		return this.grants.keySet()
			.stream()
			.filter((grant) -> grant.token().equals(history.id.leaseToken()))
			.mapToLong(Grant::fence)
			.max()
			.orElse(-1);
	}

	long grantedAt(Grant grant) {
		Granted granted = this.grants.get(grant);
		if (granted == null) {
			throw new IllegalStateException("The store never granted " + grant);
		}
		return granted.at();
	}

	// When another was first granted its place; negative if never
	long overtakenAt(LeaseHistory history) {
		long first = -1;
		for (Map.Entry<Grant, Granted> grant : this.grants.entrySet()) {
			long at = grant.getValue().at();
			if (isAfter(grant.getKey(), at, history) && (first < 0 || at < first)
					&& replaces(grant.getKey(), history)) {
				first = at;
			}
		}
		return first;
	}

	// Two may be granted at the same time by a clock that steps in between
	private static boolean isAfter(Grant grant, long at, LeaseHistory history) {
		HeldLock held = history.heldLock;
		return at > history.grantedAt || (at == history.grantedAt && held != null && grant.fence() > held.grantFence());
	}

	boolean replaces(Grant grant, LeaseHistory history) {
		Granted granted = this.grants.get(grant);
		return grant.key().equals(history.id.key())
				&& (granted == null || !granted.holders().contains(history.entry.id.leaseToken()));
	}

	void forget(StoreLog log, int length, Coverage coverage) {
		List<Grant> surviving = log.upTo(length).grants();
		coverage.count(Event.GRANT_FORGOTTEN, log.grants().size() - surviving.size());
		this.grants.keySet().retainAll(new HashSet<>(surviving));
		for (Freed one : this.freed) {
			if (one.length() > length) {
				one.history().freedAt = -1;
				coverage.count(Event.RELEASE_FORGOTTEN);
			}
		}
		this.freed.removeIf((one) -> one.length() > length);
	}

	// The true time of a grant, and the tokens of all who held the lock after it
	private record Granted(long at, Set<String> holders) {

	}

	private record Freed(LeaseHistory history, int length) {

	}

}
