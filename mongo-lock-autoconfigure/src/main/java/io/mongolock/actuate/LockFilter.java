package io.mongolock.actuate;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.store.StoredLock;

/**
 * Which locks to show.
 *
 * @param prefix the beginning of their keys, all if {@code null}
 * @param holder a part of a holder's description, any if {@code null}
 * @param heldFor how long they are held at least, any time if {@code null}
 */
record LockFilter(@Nullable String prefix, @Nullable String holder, @Nullable Duration heldFor) {

	// A user who may not see the owners must not find out by asking for them
	boolean findsNothing(boolean owners) {
		return this.holder != null && !owners;
	}

	boolean isNarrow() {
		return this.holder != null || this.heldFor != null;
	}

	boolean matches(StoredLock lock) {
		return lock.liveHolders()
			.stream()
			.anyMatch((held) -> (this.holder == null || held.owner().toString().contains(this.holder))
					&& (this.heldFor == null || held.heldFor().compareTo(this.heldFor) >= 0));
	}

}
