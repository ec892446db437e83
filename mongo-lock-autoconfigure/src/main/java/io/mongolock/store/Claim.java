package io.mongolock.store;

import java.time.Duration;

import io.mongolock.LockOwner;

/**
 * What an attempt at a lock asks for.
 *
 * @param id the key and the token of the attempt
 * @param limit how many may hold the lock together with this claim
 * @param reserve how many fences above its own the grant sets aside
 * @param waiting whether a denied claim enters the line, or refreshes its place there
 * @param owner who asks, for diagnostics
 * @param ttl how long the lease lasts without renewal, whole milliseconds
 */
public record Claim(LeaseId id, int limit, int reserve, boolean waiting, LockOwner owner, Duration ttl) {

	public Claim {
		if (limit < 1 || reserve < 0 || ttl.toMillis() < 1) {
			throw new IllegalArgumentException("limit " + limit + " (at least 1), reserve " + reserve
					+ " (at least 0), ttl " + ttl + " (at least 1 ms)");
		}
	}

}
