package io.mongolock.sample.orders;

import java.time.Instant;

import io.mongolock.LockHolder;

/**
 * A lock that somebody holds.
 *
 * @param key its key
 * @param instance which instance holds it
 * @param holder the same with host, process and thread
 * @param since when it was acquired
 * @param heldForMillis for how long, by the clock of the server
 * @param remainingMillis when its lease ends, unless it is renewed
 * @param fence the number of the grant
 */
record HeldLock(String key, String instance, String holder, Instant since, long heldForMillis, long remainingMillis,
		long fence) {

	static HeldLock of(String key, LockHolder holder) {
		return new HeldLock(key, holder.owner().instance(), holder.owner().toString(), holder.acquiredAt(),
				holder.heldFor().toMillis(), holder.remaining().toMillis(), holder.fence());
	}

}
