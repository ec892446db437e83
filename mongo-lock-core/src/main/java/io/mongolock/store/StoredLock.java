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
 * @param holders who holds it, leases that ran out included
 * @param queue who waits for it, first come first, places that ran out included
 * @param previous who held it when it was last granted to another, leases that had run
 * out meanwhile among them
 * @param fence the highest number given out
 * @param now the store's time
 * @param recalled the token of the holder that was recalled last, if ever one was: others
 * want the lock, and the client of that holder is not to keep the lease though nobody
 * holds the lock
 * @param hidden what is left out of the queue
 */
public record StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
		long fence, Instant now, @Nullable String recalled, HiddenPlaces hidden) {

	/**
	 * A lock without a recalled holder.
	 * @param queue who waits for it, first come first, places that ran out included
	 * @param fence the highest number given out
	 */
	public StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
			long fence, Instant now) {
		this(key, holders, queue, previous, fence, now, null);
	}

	/**
	 * A lock whose queue is shown as a whole.
	 * @param queue who waits for it, first come first, places that ran out included
	 * @param fence the highest number given out
	 */
	public StoredLock(String key, List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
			long fence, Instant now, @Nullable String recalled) {
		this(key, holders, queue, previous, fence, now, recalled, HiddenPlaces.NONE);
	}

	/**
	 * This lock with a queue that is kept elsewhere.
	 * @param queue who waits, first come first
	 * @param hidden what is left out of it
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
	 * Whether the lock may be held by nobody although it is taken: the client of a holder
	 * may keep the lease, and nobody has recalled it yet.
	 */
	public boolean mayBeIdle() {
		return this.holders.stream().anyMatch((holder) -> holder.mayBeIdle(this.recalled) && holder.isAlive(this.now));
	}

	/**
	 * The holders now.
	 */
	public List<LockHolder> liveHolders() {
		return this.holders.stream()
			.filter((holder) -> holder.isAlive(this.now))
			.map((holder) -> holder.toHolder(this.now))
			.toList();
	}

	/**
	 * Those who wait now, first come first.
	 */
	public List<LockOwner> liveWaiters() {
		return this.queue.stream().filter((place) -> place.isAlive(this.now)).map(StoredWaiter::owner).toList();
	}

}
