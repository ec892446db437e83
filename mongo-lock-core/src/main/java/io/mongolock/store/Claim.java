package io.mongolock.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;

/**
 * The request of an attempt at a lock to the store.
 *
 * @param id the key and the token of the attempt
 * @param limit how many may hold the lock together with this claim
 * @param reserve how many fences above its own the grant sets aside, if the clock of the
 * store is so far ahead of those that were given out
 * @param placeTtl how long a place in the queue counts without refresh, whole
 * milliseconds: a denied claim enters the queue, or refreshes its place there;
 * {@code null} for a claim that does not wait in the queue
 * @param owner who asks, for diagnostics
 * @param ttl how long the lease lasts without renewal, whole milliseconds
 * @param first whether nobody ever asked with this token before, which a store may use to
 * ask for less: the meaning is the same
 * @param linger how long its client may keep the lease though nobody holds the lock,
 * whole milliseconds, zero if not at all: others have to recall it
 * @param holds what it holds meanwhile, which stands with its place in the queue
 */
public record Claim(LeaseId id, int limit, int reserve, @Nullable Duration placeTtl, LockOwner owner, Duration ttl,
		boolean first, Duration linger, List<GrantId> holds) {

	/**
	 * A claim of one who holds nothing meanwhile.
	 * @param limit how many may hold the lock together with this claim
	 * @param reserve how many fences above its own the grant sets aside
	 * @param placeTtl how long a place in the queue counts without refresh, {@code null}
	 * for a claim that does not wait there
	 * @param ttl how long the lease lasts without renewal, whole milliseconds
	 * @param first whether nobody ever asked with this token before
	 * @param linger how long its client may keep the lease though nobody holds the lock
	 */
	public Claim(LeaseId id, int limit, int reserve, @Nullable Duration placeTtl, LockOwner owner, Duration ttl,
			boolean first, Duration linger) {
		this(id, limit, reserve, placeTtl, owner, ttl, first, linger, List.of());
	}

	/**
	 * A claim of an exclusive lock that does not wait in the queue.
	 * @param ttl how long the lease lasts without renewal, whole milliseconds
	 */
	public static Claim of(LeaseId id, LockOwner owner, Duration ttl) {
		return new Claim(id, 1, 0, null, owner, ttl, false, Duration.ZERO);
	}

	/**
	 * This claim with another limit.
	 * @param limit how many may hold the lock together with this claim
	 */
	public Claim withLimit(int limit) {
		return new Claim(this.id, limit, this.reserve, this.placeTtl, this.owner, this.ttl, this.first, this.linger,
				this.holds);
	}

	/**
	 * This claim, changing nothing if denied.
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
