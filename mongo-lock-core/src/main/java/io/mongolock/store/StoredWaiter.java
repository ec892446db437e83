package io.mongolock.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.mongolock.LockOwner;

/**
 * A place in the queue as it is stored; times are the store's.
 *
 * @param leaseToken the token of the attempt that waits
 * @param limit how many may hold the lock together with it
 * @param owner who waits, for diagnostics
 * @param renewedAt when its place was last refreshed
 * @param ttl how long the place holds up others from there
 * @param holds what it holds meanwhile, as far as is known
 */
public record StoredWaiter(String leaseToken, int limit, LockOwner owner, Instant renewedAt, Duration ttl,
		List<GrantId> holds) {

	/**
	 * A place of one who holds nothing meanwhile, as far as is known.
	 * @param limit how many may hold the lock together with it
	 * @param renewedAt when its place was last refreshed
	 * @param ttl how long the place holds up others from there
	 */
	public StoredWaiter(String leaseToken, int limit, LockOwner owner, Instant renewedAt, Duration ttl) {
		this(leaseToken, limit, owner, renewedAt, ttl, List.of());
	}

	/**
	 * So many times its ttl a place stays in the queue without refresh: its waiter may
	 * not have reached the store for a while, as during an election, and has it still.
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
