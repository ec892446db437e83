package io.mongolock.store;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockOwner;

/**
 * One lock as it is stored.
 *
 * @param key the key
 * @param holders the holders, including holders whose leases ran out
 * @param queue the waiters in the order in which they came, including places that ran out
 * @param previous the holders at the time when the lock was last granted to another,
 * including holders whose leases had run out
 * @param fence the highest fence given out
 * @param now the store's time
 * @param recalled the token of the holder that was recalled last, {@code null} if none
 * was. Others want the lock, so the client of that holder must not keep the lease while
 * nobody holds the lock
 * @param hidden the places that are left out of the queue
 */
public record StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
		long fence, Instant now, @Nullable String recalled, HiddenPlaces hidden) {

	/**
	 * A lock without a recalled holder.
	 * @param queue the waiters in the order in which they came, including places that ran
	 * out
	 * @param fence the highest fence given out
	 */
	public StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
			long fence, Instant now) {
		this(key, holders, queue, previous, fence, now, null);
	}

	/**
	 * A lock whose queue is shown as a whole.
	 * @param queue the waiters in the order in which they came, including places that ran
	 * out
	 * @param fence the highest fence given out
	 */
	public StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
			long fence, Instant now, @Nullable String recalled) {
		this(key, holders, queue, previous, fence, now, recalled, HiddenPlaces.NONE);
	}

	/**
	 * This lock with a queue that the store keeps elsewhere.
	 * @param queue the waiters in the order in which they came
	 * @param hidden the places that are left out of it
	 */
	public StoredLock withQueue(List<StoredWaiter> queue, HiddenPlaces hidden) {
		return new StoredLock(this.key, this.holders, queue, this.previous, this.fence, this.now, this.recalled,
				hidden);
	}

	/**
	 * Whether anybody holds it now.
	 */
	public boolean isHeld() {
		return this.holders.stream().anyMatch((holder) -> holder.isAlive(this.now));
	}

	/**
	 * Whether the lock may be taken although nobody holds it: the client of a holder may
	 * keep the lease, which has not been recalled yet.
	 */
	public boolean mayBeIdle() {
		return this.holders.stream().anyMatch((holder) -> holder.mayBeIdle(this.recalled) && holder.isAlive(this.now));
	}

	/**
	 * The present holders.
	 */
	public List<LockHolder> liveHolders() {
		return this.holders.stream()
			.filter((holder) -> holder.isAlive(this.now))
			.map((holder) -> holder.toHolder(this.now))
			.toList();
	}

	/**
	 * The owners that wait now, in the order in which they came.
	 */
	public List<LockOwner> liveWaiters() {
		return this.queue.stream().filter((place) -> place.isAlive(this.now)).map(StoredWaiter::owner).toList();
	}

}
