package io.mongolock.store;

import java.time.Duration;
import java.time.Instant;

import io.mongolock.LockOwner;

/**
 * A place in the queue as it is stored; times are the store's.
 *
 * @param leaseToken the token of the attempt that waits
 * @param limit how many may hold the lock together with it
 * @param owner who waits, for diagnostics
 * @param renewedAt when its place was last refreshed
 * @param ttl how long the place lasts from there
 */
public record StoredWaiter(String leaseToken, int limit, LockOwner owner, Instant renewedAt, Duration ttl) {

	/**
	 * Whether the place still counts.
	 */
	public boolean isAlive(Instant now) {
		return this.renewedAt.plus(this.ttl).isAfter(now);
	}

}
