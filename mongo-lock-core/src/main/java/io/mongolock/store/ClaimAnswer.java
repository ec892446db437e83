package io.mongolock.store;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;

/**
 * What a store says to a claim.
 *
 * @param lock the lock as it stands after the claim
 * @param content what the store keeps with the lock, if it does
 * @param inDoubt whether a request of the same claim that had no answer may still be
 * executed
 */
public record ClaimAnswer(StoredLock lock, @Nullable Object content, boolean inDoubt) {

	/**
	 * The answer of a store that keeps locks alone.
	 * @param lock the lock as it stands after the claim
	 */
	public ClaimAnswer(StoredLock lock) {
		this(lock, null, false);
	}

	/**
	 * This answer with a whole queue that is kept elsewhere.
	 * @param queue who waits, first come first
	 */
	public ClaimAnswer withQueue(List<StoredWaiter> queue) {
		return new ClaimAnswer(this.lock.withQueue(queue, HiddenPlaces.NONE), this.content, this.inDoubt);
	}

	/**
	 * The grant to an attempt. A lease of its own that ran out is none: a claim that is
	 * denied for those ahead in the queue leaves it where it is.
	 * @return its entry among the holders, or empty if it was denied
	 */
	public Optional<StoredHolder> grantTo(String token) {
		for (StoredHolder holder : this.lock.holders()) {
			if (holder.leaseToken().equals(token) && holder.isAlive(this.lock.now())) {
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
		return Math.max(0, this.lock.fence() - granted.fence());
	}

	/**
	 * The holders that a grant replaced because their leases had run out, except those
	 * that were done and had meant them to.
	 */
	public List<LockHolder> lapsedBefore(StoredHolder granted) {
		if (this.lock.previous().isEmpty()) {
			return List.of();
		}
		return this.lock.previous()
			.stream()
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
		return this.lock.hidden() == HiddenPlaces.UNSEEN
				|| this.lock.queue().stream().anyMatch((waiter) -> waiter.isAlive(this.lock.now()));
	}

}
