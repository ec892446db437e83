package io.mongolock.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;

/**
 * The request by which an attempt asks the store for a lock.
 *
 * @param id the key and the token of the attempt
 * @param limit how many may hold the lock at the same time, this claim included
 * @param reserve how many fences above its own the grant sets aside; fewer if the clock
 * of the store is not that far ahead of the fences given out
 * @param placeTtl how long a place in the queue counts without refresh, in whole
 * milliseconds. If the claim is denied, it enters the queue or refreshes its place there.
 * {@code null} for a claim that does not wait in the queue
 * @param owner the owner that asks, for diagnostics
 * @param ttl how long the lease lasts without renewal, in whole milliseconds
 * @param first whether this is the first request with its token. A store may then send a
 * simpler statement with the same meaning
 * @param linger how long its client may keep the lease while nobody holds the lock, in
 * whole milliseconds, zero for not at all. Others that want the lock have to recall such
 * a lease
 * @param holds the grants that its caller holds meanwhile, which are stored with its
 * place in the queue
 */
public record Claim(LeaseId id, int limit, int reserve, @Nullable Duration placeTtl, LockOwner owner, Duration ttl,
		boolean first, Duration linger, List<GrantId> holds) {

	/**
	 * A claim whose caller holds no other locks meanwhile.
	 * @param limit how many may hold the lock at the same time, this claim included
	 * @param reserve how many fences above its own the grant sets aside
	 * @param placeTtl how long a place in the queue counts without refresh, {@code null}
	 * for a claim that does not wait there
	 * @param ttl how long the lease lasts without renewal, in whole milliseconds
	 * @param first whether this is the first request with its token
	 * @param linger how long its client may keep the lease while nobody holds the lock
	 */
	public Claim(LeaseId id, int limit, int reserve, @Nullable Duration placeTtl, LockOwner owner, Duration ttl,
			boolean first, Duration linger) {
		this(id, limit, reserve, placeTtl, owner, ttl, first, linger, List.of());
	}

	/**
	 * A claim of an exclusive lock that does not wait in the queue.
	 * @param ttl how long the lease lasts without renewal, in whole milliseconds
	 */
	public static Claim of(LeaseId id, LockOwner owner, Duration ttl) {
		return new Claim(id, 1, 0, null, owner, ttl, false, Duration.ZERO);
	}

	/**
	 * This claim with another limit.
	 * @param limit how many may hold the lock at the same time, this claim included
	 */
	public Claim withLimit(int limit) {
		return new Claim(this.id, limit, this.reserve, this.placeTtl, this.owner, this.ttl, this.first, this.linger,
				this.holds);
	}

	/**
	 * This claim without a place in the queue: if it is denied, it changes nothing.
	 */
	public Claim alone() {
		return new Claim(this.id, this.limit, this.reserve, null, this.owner, this.ttl, this.first, this.linger,
				this.holds);
	}

	/**
	 * Whether a denied claim enters the queue, or refreshes its place there.
	 */
	public boolean waiting() {
		return this.placeTtl != null;
	}

	public Claim {
		if (limit < 1 || reserve < 0 || ttl.toMillis() < 1 || (placeTtl != null && placeTtl.toMillis() < 1)) {
			throw new IllegalArgumentException("A value of the claim is out of range: limit " + limit
					+ " (at least 1), reserve " + reserve + " (at least 0), ttl " + ttl
					+ " (at least 1 ms), ttl of the place " + placeTtl + " (at least 1 ms)");
		}
	}

}
