package io.mongolock.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;

/**
 * A lock as it stands after a claim.
 *
 * @param holders who holds it
 * @param queue who waits for it, first come first, places that ran out included;
 * {@code null} if the store keeps the queue elsewhere and did not look at it
 * @param previous who held it before the last grant
 * @param fence the highest that was given out or set aside
 * @param now the store's time
 * @param content what the store keeps with the lock, if it does
 * @param inDoubt whether a request of the same claim that had no answer may still be
 * executed
 * @param recalled the token of the holder that was recalled last, if ever one was
 * @param hidden what is left out of the queue
 */
public record ClaimAnswer(List<StoredHolder> holders, @Nullable List<StoredWaiter> queue, List<StoredHolder> previous,
		long fence, Instant now, @Nullable Object content, boolean inDoubt, @Nullable String recalled,
		HiddenPlaces hidden) {

	/**
	 * The answer of a store that keeps locks alone and sets no fences aside.
	 * @param queue who waits for it, first come first, places that ran out included
	 * @param previous who held it before the last grant
	 */
	public ClaimAnswer(List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous, Instant now) {
		this(holders, queue, previous, 0, now, null, false, null);
	}

	/**
	 * An answer that shows the whole queue.
	 */
	public ClaimAnswer(List<StoredHolder> holders, @Nullable List<StoredWaiter> queue, List<StoredHolder> previous,
			long fence, Instant now, @Nullable Object content, boolean inDoubt, @Nullable String recalled) {
		this(holders, queue, previous, fence, now, content, inDoubt, recalled, HiddenPlaces.NONE);
	}

	/**
	 * This answer with a queue that is kept elsewhere.
	 * @param queue who waits, first come first, {@code null} if nobody looked
	 */
	public ClaimAnswer withQueue(@Nullable List<StoredWaiter> queue) {
		return new ClaimAnswer(this.holders, queue, this.previous, this.fence, this.now, this.content, this.inDoubt,
				this.recalled);
	}

	/**
	 * This answer with what the store keeps with the lock.
	 */
	public ClaimAnswer with(Object content) {
		return new ClaimAnswer(this.holders, this.queue, this.previous, this.fence, this.now, content, this.inDoubt,
				this.recalled, this.hidden);
	}

	/**
	 * The grant to an attempt. A lease of its own that ran out is none: a claim that is
	 * denied for those ahead in the queue leaves it where it is.
	 * @return its entry among the holders, or empty if it was denied
	 */
	public Optional<StoredHolder> grantTo(String token) {
		for (StoredHolder holder : this.holders) {
			if (holder.leaseToken().equals(token) && holder.isAlive(this.now)) {
				return Optional.of(holder);
			}
		}
		return Optional.empty();
	}

	/**
	 * How many fences above its own the grant of an exclusive lock has set aside.
	 * @return the number, zero if the store had none to set aside
	 */
	public long setAside(StoredHolder granted) {
		return Math.max(0, this.fence - granted.fence());
	}

	/**
	 * The holders that a grant replaced because their leases had run out, except those
	 * that were done and had meant them to.
	 */
	public List<LockHolder> lapsedBefore(StoredHolder granted) {
		if (this.previous.isEmpty()) {
			return List.of();
		}
		return this.previous.stream()
			.filter((holder) -> !holder.isAlive(granted.acquiredAt()) && !holder.kept()
					&& !holder.leaseToken().equals(granted.leaseToken()))
			.map((holder) -> holder.toHolder(granted.acquiredAt()))
			.toList();
	}

	/**
	 * Whether anybody may stand in the queue.
	 * @return whether a place in it has not run out, or nobody looked
	 */
	public boolean hasWaiters() {
		if (this.queue == null) {
			return true;
		}
		for (StoredWaiter waiter : this.queue) {
			if (waiter.isAlive(this.now)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether the lock may be held by nobody although it is taken: the client of a holder
	 * may keep the lease, and nobody has recalled it yet.
	 */
	public boolean mayBeIdle() {
		return StoredHolder.mayBeIdle(this.holders, this.recalled, this.now);
	}

	/**
	 * The holders now.
	 */
	public List<LockHolder> liveHolders() {
		return StoredHolder.alive(this.holders, this.now);
	}

}
