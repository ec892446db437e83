package io.mongolock;

import java.time.Instant;
import java.util.List;

/**
 * Threads of which each waits for a lock that another of them holds, so that all wait
 * until the first of them gives up or loses its lock.
 *
 * @param waits who waits for whom, in the order in which the locks were granted
 */
public record LockDeadlock(List<Wait> waits) {

	/**
	 * Create a deadlock.
	 * @param waits who waits for whom
	 */
	public LockDeadlock {
		waits = List.copyOf(waits);
	}

	/**
	 * One who waits for a lock.
	 *
	 * @param key the key of the lock
	 * @param holder who holds it, and waits for another lock
	 * @param since when it was granted, by the store's clock; another thread of the same
	 * application may have passed it on to the holder since
	 * @param waiter who waits for it
	 */
	public record Wait(String key, LockOwner holder, Instant since, LockOwner waiter) {

	}

}
