package io.mongolock.store;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;

/**
 * The answer of a store to a claim.
 *
 * @param lock the lock as it stands after the claim
 * @param content the content that the store keeps with the lock, {@code null} if it keeps
 * none
 * @param inDoubt whether an unanswered request of the same claim may still be executed
 */
public record ClaimAnswer(StoredLock lock, @Nullable Object content, boolean inDoubt) {

	/**
	 * The answer of a store that keeps no content with its locks.
	 * @param lock the lock as it stands after the claim
	 */
	public ClaimAnswer(StoredLock lock) {
		this(lock, null, false);
	}

	/**
	 * This answer with the whole queue, which the store keeps elsewhere.
	 * @param queue the waiters in the order in which they came
	 */
	public ClaimAnswer withQueue(List<StoredWaiter> queue) {
		return new ClaimAnswer(this.lock.withQueue(queue, HiddenPlaces.NONE), this.content, this.inDoubt);
	}

	/**
	 * The grant to an attempt. An entry of the attempt whose lease ran out is not a
	 * grant. Such an entry stays if the claim is denied because of waiters ahead.
	 * @return the attempt's entry among the holders, or empty if the claim was denied
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
	 * The holders that a grant replaced because their leases had run out, except holders
	 * that were done and only kept the lock taken for a while.
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
	 * Whether there may be waiters in the queue.
	 * @return whether a place in the queue has not run out, or the queue was not read
	 */
	public boolean hasWaiters() {
		return this.lock.hidden() == HiddenPlaces.UNSEEN
				|| this.lock.queue().stream().anyMatch((waiter) -> waiter.isAlive(this.lock.now()));
	}

}
