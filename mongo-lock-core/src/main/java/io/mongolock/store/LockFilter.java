package io.mongolock.store;

import java.time.Duration;

/**
 * Which of the locks that are held to look at.
 *
 * @param prefix what their keys begin with, empty for all
 * @param holder a part of the description of a holder, empty for any
 * @param heldFor how long that holder has held it at least, zero for any time
 */
public record LockFilter(String prefix, String holder, Duration heldFor) {

	/**
	 * Whether the key alone does not decide.
	 */
	public boolean isOfHolders() {
		return !this.holder.isEmpty() || !this.heldFor.isZero();
	}

	/**
	 * Whether a lock has such a holder now.
	 */
	public boolean matches(StoredLock lock) {
		return lock.liveHolders()
			.stream()
			.anyMatch((held) -> held.owner().toString().contains(this.holder)
					&& held.heldFor().compareTo(this.heldFor) >= 0);
	}

}
