package io.mongolock.store;

import java.time.Instant;
import java.util.List;

import io.mongolock.LockHolder;

/**
 * One lock as it is stored.
 *
 * @param key the key
 * @param holders who holds it, leases that ran out included
 * @param queue who waits for it, first come first, places that ran out included
 * @param previous who held it when it was last granted to another, leases that had run
 * out meanwhile among them
 * @param fence the highest number given out
 * @param now the store's time
 */
public record StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
		long fence, Instant now) {

	/**
	 * This lock with a queue that is kept elsewhere.
	 * @param queue who waits, first come first
	 */
	public StoredLock withQueue(List<StoredWaiter> queue) {
		return new StoredLock(this.key, this.holders, queue, this.previous, this.fence, this.now);
	}

	/**
	 * The holders now.
	 */
	public List<LockHolder> liveHolders() {
		return StoredHolder.alive(this.holders, this.now);
	}

}
