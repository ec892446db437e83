package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;

/**
 * A store some documents of which are blocked, as by a transaction: a request executes
 * what is before such a one, and waits.
 */
class BlockingStore extends ScriptedStore {

	private final Set<String> blocked = ConcurrentHashMap.newKeySet();

	private final Set<String> givenUp = ConcurrentHashMap.newKeySet();

	/** The places that were left. */
	final Set<String> left = ConcurrentHashMap.newKeySet();

	/** How many each request was for that waited in vain. */
	final List<Integer> hung = new CopyOnWriteArrayList<>();

	/** Requests that may take longer never end. */
	volatile Duration patience = Duration.ofDays(1);

	/** How many requests wait. */
	final AtomicInteger waiting = new AtomicInteger();

	void block(String key) {
		this.blocked.add(key);
	}

	synchronized void free(String key) {
		this.blocked.remove(key);
		notifyAll();
	}

	/**
	 * It stays blocked, and no request waits for it any longer.
	 */
	synchronized void giveUp(String key) {
		this.givenUp.add(key);
		notifyAll();
	}

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		pass(List.of(claim.id()), timeout, List::size);
		return super.acquire(claim, timeout);
	}

	@Override
	public ReleaseAnswer release(LeaseId lease, Duration timeout) {
		pass(List.of(lease), timeout, List::size);
		return super.release(lease, timeout);
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return pass(leases, timeout, (some) -> super.releaseAll(some, timeout));
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		return pass(List.copyOf(leases.keySet()), timeout,
				(some) -> super.expireAll(some.stream().collect(Collectors.toMap(Function.identity(), leases::get)),
						timeout));
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return pass(claims, timeout, (some) -> {
			some.forEach((id) -> this.left.add(id.key()));
			return some.size();
		});
	}

	@Override
	public boolean leave(LeaseId claim, Duration timeout) {
		return leaveAll(List.of(claim), timeout) == 1;
	}

	private int pass(List<LeaseId> ids, Duration timeout, ToIntFunction<List<LeaseId>> request) {
		Duration most = (timeout.compareTo(this.patience) > 0) ? Duration.ofDays(1) : timeout;
		long until = System.nanoTime() + most.toNanos();
		int count = 0;
		int from = 0;
		for (int to = 0; to < ids.size(); to++) {
			String key = ids.get(to).key();
			if (this.blocked.contains(key)) {
				count += (to > from) ? request.applyAsInt(ids.subList(from, to)) : 0;
				from = to;
				this.waiting.incrementAndGet();
				boolean free = awaitFree(key, until);
				this.waiting.decrementAndGet();
				if (!free) {
					this.hung.add(ids.size());
					throw new LockStoreException(key, Outcome.UNKNOWN, "blocked for " + timeout.toMillis() + " ms",
							null);
				}
			}
		}
		return count + request.applyAsInt(ids.subList(from, ids.size()));
	}

	private synchronized boolean awaitFree(String key, long until) {
		while (this.blocked.contains(key)) {
			long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
			if (left <= 0 || this.givenUp.contains(key)) {
				return false;
			}
			try {
				wait(left);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return true;
	}

}
