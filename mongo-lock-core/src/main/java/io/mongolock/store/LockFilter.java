package io.mongolock.store;

import java.time.Duration;

/**
 * Selects some of the locks that are held.
 *
 * @param prefix the beginning of their keys, empty for all
 * @param holder a part of the description of a holder, empty for any
 * @param heldFor the least time for which this holder has held the lock, zero for any
 * time
 */
public record LockFilter(String prefix, String holder, Duration heldFor) {

	/**
	 * Whether the filter also depends on the holders, and not on the key alone.
	 */
	public boolean isOfHolders() {
		return !this.holder.isEmpty() || !this.heldFor.isZero();
	}

	/**
	 * Whether a present holder of a lock matches this filter.
	 */
	public boolean matches(StoredLock lock) {
		return lock.liveHolders()
			.stream()
			.anyMatch((held) -> held.owner().toString().contains(this.holder)
					&& held.heldFor().compareTo(this.heldFor) >= 0);
	}

}
