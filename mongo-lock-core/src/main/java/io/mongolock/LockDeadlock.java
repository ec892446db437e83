package io.mongolock;

import java.time.Instant;
import java.util.List;

/**
 * Threads that wait for each other, because each of them waits for a lock that another of
 * them holds. All of them wait until one of them gives up or loses its lock.
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
	 * A waiter of the deadlock.
	 *
	 * @param key the key of the lock
	 * @param holder who holds the lock, and waits for another lock
	 * @param since when the lock was granted, by the store's clock; another thread of the
	 * same application may have passed the lock on to the holder since then
	 * @param waiter who waits for the lock
	 */
	public record Wait(String key, LockOwner holder, Instant since, LockOwner waiter) {

	}

}
