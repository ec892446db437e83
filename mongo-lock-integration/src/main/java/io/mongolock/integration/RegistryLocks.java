package io.mongolock.integration;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.concurrent.ThreadLock;
import io.mongolock.store.KeyText;

/**
 * The locks of a registry, one per key, with the number of threads that use each. A
 * thread has one hold per key, whichever lock object it locks or unlocks. Thread-safe:
 * the monitor guards the map and the counts, and no request is sent under it.
 */
final class RegistryLocks {

	private final LockOperations operations;

	private final LockClock clock;

	private final int capacity;

	/** By key; the least recently used locks come first. */
	private final Map<String, Kept> byKey = new LinkedHashMap<>(16, 0.75F, true);

	/**
	 * Create without locks.
	 * @param capacity the number of locks that are kept, unless more are in use
	 */
	RegistryLocks(LockOperations operations, LockClock clock, int capacity) {
		this.operations = operations;
		this.clock = clock;
		this.capacity = capacity;
	}

	synchronized RegistryLock obtain(LockRequest request) {
		return keep(request).lock;
	}

	<E extends Exception> boolean acquire(LockRequest request, Claim<E> claim) throws E {
		Kept kept = enter(request);
		boolean acquired = false;
		try {
			acquired = claim.on(kept.state);
			return acquired;
		}
		finally {
			if (!acquired) {
				leave(kept);
			}
		}
	}

	/**
	 * Unlock the lock that the current thread holds.
	 * @throws IllegalStateException if the thread does not hold it
	 */
	void release(LockRequest request) {
		Kept kept = kept(request.key());
		if (kept == null || kept.state.held() == null) {
			throw notHeld(request);
		}
		try {
			kept.state.unlock();
		}
		finally {
			leave(kept);
		}
	}

	/**
	 * The handle of the lock that the current thread holds.
	 * @throws IllegalStateException if the thread does not hold it
	 */
	LockHandle held(LockRequest request) {
		Kept kept = kept(request.key());
		LockHandle held = (kept != null) ? kept.state.held() : null;
		if (held == null) {
			throw notHeld(request);
		}
		return held;
	}

	synchronized void expireUnusedOlderThan(long age) {
		long now = this.clock.nanoTime();
		this.byKey.values()
			.removeIf((kept) -> kept.users == 0 && now - kept.usedAt >= TimeUnit.MILLISECONDS.toNanos(age));
	}

	synchronized int size() {
		return this.byKey.size();
	}

	private synchronized Kept enter(LockRequest request) {
		Kept kept = keep(request);
		kept.users++;
		return kept;
	}

	private synchronized void leave(Kept kept) {
		kept.users--;
		kept.usedAt = this.clock.nanoTime();
	}

	private Kept keep(LockRequest request) {
		Kept kept = this.byKey.get(request.key());
		if (kept == null) {
			makeRoom();
			kept = new Kept(new RegistryLock(this, request), new ThreadLock(this.operations, request),
					this.clock.nanoTime());
			this.byKey.put(request.key(), kept);
		}
		return kept;
	}

	private void makeRoom() {
		Iterator<Kept> oldest = this.byKey.values().iterator();
		while (this.byKey.size() >= this.capacity && oldest.hasNext()) {
			if (oldest.next().users == 0) {
				oldest.remove();
			}
		}
	}

	private static IllegalStateException notHeld(LockRequest request) {
		return new IllegalStateException("The lock '" + KeyText.printable(request.key()) + "' is not held by thread "
				+ Thread.currentThread().getName()
				+ ". Unlock and renew a lock only on the thread that locked it, and unlock it as often as this thread "
				+ "has locked it");
	}

	private synchronized @Nullable Kept kept(String key) {
		return this.byKey.get(key);
	}

	/** One way to lock. */
	@FunctionalInterface
	interface Claim<E extends Exception> {

		boolean on(ThreadLock lock) throws E;

	}

	/** A lock of the registry. Threads that hold it or wait for it use it. */
	private static final class Kept {

		private final RegistryLock lock;

		private final ThreadLock state;

		private int users;

		private long usedAt;

		private Kept(RegistryLock lock, ThreadLock state, long usedAt) {
			this.lock = lock;
			this.state = state;
			this.usedAt = usedAt;
		}

	}

}
