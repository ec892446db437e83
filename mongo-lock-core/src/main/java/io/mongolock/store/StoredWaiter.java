package io.mongolock.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.mongolock.LockOwner;

/**
 * A place in the queue as it is stored. All times are the store's.
 *
 * @param leaseToken the token of the attempt that waits
 * @param limit how many may hold the lock at the same time, this waiter included
 * @param owner the owner that waits, for diagnostics
 * @param renewedAt when its place was last refreshed
 * @param ttl how long the place holds up others from then on
 * @param holds the grants that its caller holds meanwhile, as far as is known
 */
public record StoredWaiter(String leaseToken, int limit, LockOwner owner, Instant renewedAt, Duration ttl,
		List<GrantId> holds) {

	/**
	 * A place whose caller holds no other locks meanwhile, as far as is known.
	 * @param limit how many may hold the lock at the same time, this waiter included
	 * @param renewedAt when its place was last refreshed
	 * @param ttl how long the place holds up others from then on
	 */
	public StoredWaiter(String leaseToken, int limit, LockOwner owner, Instant renewedAt, Duration ttl) {
		this(leaseToken, limit, owner, renewedAt, ttl, List.of());
	}

	/**
	 * How many times its ttl a place stays in the queue without refresh. Its waiter may
	 * be unable to reach the store for a while, for example during an election, and still
	 * has the place.
	 */
	public static final int STAYS = 5;

	/**
	 * Whether the place holds up others.
	 */
	public boolean isAlive(Instant now) {
		return this.renewedAt.plus(this.ttl).isAfter(now);
	}

	/**
	 * Whether its waiter still has the place.
	 */
	public boolean stays(Instant now) {
		return this.renewedAt.plus(this.ttl.multipliedBy(STAYS)).isAfter(now);
	}

}
