package io.mongolock.core;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import io.mongolock.LockOwner;
import io.mongolock.core.Deadlock.Wait;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * One search for deadlocks of the waiters of a client. It also decides which waiter of a
 * deadlock gives up ({@link #youngest}). A place in the queue says what its waiter holds,
 * but nothing says what a holder waits for. So the search looks at the locks that waiters
 * hold, finds the waiters in the queues of these locks, looks at the locks that those
 * waiters hold, and so on. A waiter is stuck if the holders alone keep it from its lock
 * and all of these holders are stuck. With locks that have several holders, the search
 * may miss a deadlock, but it never finds one that does not exist.
 */
public final class DeadlockSearch {

	/** The most waiters of a deadlock, and the most steps of a search. */
	public static final int MAX = 8;

	private final Map<LeaseId, Waiter> waiters = new LinkedHashMap<>();

	private final Map<String, StoredLock> locks = new HashMap<>();

	private final Set<String> asked = new HashSet<>();

	/** The waiters that other clients see, too. */
	private final Set<LeaseId> placed = new HashSet<>();

	private final List<LeaseId> own;

	/**
	 * Begin a search.
	 * @param own the attempts of this client that wait while their callers hold locks
	 */
	public DeadlockSearch(Collection<Waiter> own) {
		this.own = own.stream().map(Waiter::id).toList();
		own.forEach((waiter) -> this.waiters.put(waiter.id(), waiter));
	}

	/**
	 * The locks to look at next.
	 * @return their keys, none if the search is complete
	 */
	public List<String> next() {
		List<String> next = this.waiters.values()
			.stream()
			.flatMap((waiter) -> waiter.holds().stream())
			.map(GrantId::key)
			.distinct()
			.filter((key) -> !this.asked.contains(key))
			.limit(Division.MAX_BATCH)
			.toList();
		this.asked.addAll(next);
		return next;
	}

	/**
	 * Some locks were found as they are stored, with their queues.
	 */
	public void found(List<StoredLock> found) {
		for (StoredLock lock : found) {
			this.locks.put(lock.key(), lock);
			lock.queue()
				.stream()
				.filter((place) -> place.isAlive(lock.now()) && !place.holds().isEmpty())
				.forEach((place) -> add(lock.key(), place));
		}
	}

	private void add(String key, StoredWaiter place) {
		LeaseId id = new LeaseId(key, place.leaseToken());
		this.placed.add(id);
		this.waiters.putIfAbsent(id, new Waiter(id, place.limit(), place.owner(), place.holds()));
	}

	/**
	 * The deadlocks in which waiters of this client take part.
	 */
	public Set<Deadlock> deadlocks() {
		Map<GrantId, Waiter> holders = new HashMap<>();
		this.waiters.values()
			.stream()
			.sorted(Comparator.comparing((waiter) -> waiter.id().leaseToken()))
			.forEach((waiter) -> waiter.holds().forEach((grant) -> holders.putIfAbsent(grant, waiter)));
		Set<Deadlock> deadlocks = new LinkedHashSet<>();
		for (LeaseId id : this.own) {
			Map<LeaseId, List<Wait>> stuck = behind(id, holders);
			// Everything that it waits for must lead back to it. Otherwise it only waits
			// for a deadlock of others
			if (!stuck.isEmpty() && stuck.keySet()
				.stream()
				.allMatch((other) -> behind(other, holders).keySet().equals(stuck.keySet()))) {
				deadlocks.add(new Deadlock(ordered(stuck.values())));
			}
		}
		return deadlocks;
	}

	/**
	 * The attempt that must give up if the client ends the deadlock. Its caller holds the
	 * lock that was granted last, and so has done the least under it. A fence contains
	 * the time of its grant, and all clients see the same fences, so they agree without
	 * communication. If one of the waiters stands behind another in the local queue, only
	 * this client sees the deadlock. Then an attempt of this client gives up.
	 */
	public LeaseId youngest(Deadlock deadlock) {
		List<Wait> waits = deadlock.waits();
		boolean alone = waits.stream().anyMatch((wait) -> !this.placed.contains(wait.waiter()));
		return waits.stream()
			.map(Wait::holder)
			.filter((holder) -> !alone || this.own.contains(holder))
			.reduce((earlier, later) -> later)
			.orElseThrow();
	}

	// The waits of an attempt, of the holders that it waits for, and so on; empty unless
	// all of them are stuck
	private Map<LeaseId, List<Wait>> behind(LeaseId id, Map<GrantId, Waiter> holders) {
		Map<LeaseId, List<Wait>> behind = new HashMap<>();
		Deque<LeaseId> open = new ArrayDeque<>(List.of(id));
		while (!open.isEmpty()) {
			LeaseId next = open.pop();
			if (!behind.containsKey(next)) {
				List<Wait> waits = waits(Objects.requireNonNull(this.waiters.get(next)), holders);
				if (waits.isEmpty() || behind.size() == MAX) {
					return Map.of();
				}
				behind.put(next, waits);
				waits.forEach((wait) -> open.add(wait.holder()));
			}
		}
		return behind;
	}

	private List<Wait> waits(Waiter waiter, Map<GrantId, Waiter> holders) {
		StoredLock lock = this.locks.get(waiter.id().key());
		List<StoredHolder> alive = (lock != null)
				? lock.holders().stream().filter((holder) -> holder.isAlive(lock.now())).toList() : List.of();
		if (AdmissionRule.of(waiter.limit(), alive.stream().mapToInt(StoredHolder::limit)).admits()) {
			return List.of();
		}
		List<Wait> waits = alive.stream().flatMap((holder) -> {
			GrantId grant = new GrantId(waiter.id().key(), holder.fence());
			return Optional.ofNullable(holders.get(grant))
				.map((by) -> new Wait(grant, holder.acquiredAt(), by.id(), by.owner(), waiter.id(), waiter.owner()))
				.stream();
		}).toList();
		return (waits.size() == alive.size()) ? waits : List.of();
	}

	private static List<Wait> ordered(Collection<List<Wait>> stuck) {
		return stuck.stream()
			.flatMap(List::stream)
			.sorted(Comparator.comparing((Wait wait) -> wait.grant().fence())
				.thenComparing((wait) -> wait.grant().key())
				.thenComparing((wait) -> wait.waiter().leaseToken()))
			.toList();
	}

	/**
	 * An attempt that waits while its caller holds other locks.
	 *
	 * @param id the token that waits, and the key that it waits for
	 * @param limit how many may hold the lock at the same time, this waiter included
	 * @param owner the owner that waits
	 * @param holds the grants that its caller cannot end before the wait has ended
	 */
	public record Waiter(LeaseId id, int limit, LockOwner owner, List<GrantId> holds) {

	}

}
