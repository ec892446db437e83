package io.mongolock.store;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.ReleaseRequest;

/**
 * A holder as it is stored. All times are the store's.
 *
 * @param leaseToken the token of the attempt that was granted
 * @param fence the number of the grant; a later hold of the same streak has a higher
 * number
 * @param limit how many may hold the lock at the same time, this holder included
 * @param owner the owner that holds the lock, for diagnostics. If a lock is handed over
 * inside a JVM, this still names the first holder's thread
 * @param acquiredAt when it was granted
 * @param renewedAt when its lease last began
 * @param ttl how long the lease lasts from then on
 * @param releaseRequest the request to release the lock, {@code null} if there is none
 * @param kept whether its holder is done and the lock only stays taken for a while
 * @param linger how long its client may keep the lease while nobody holds the lock, zero
 * for not at all
 * @param note what its holder does, empty if the holder did not say
 */
public record StoredHolder(String leaseToken, long fence, int limit, LockOwner owner, Instant acquiredAt,
		Instant renewedAt, Duration ttl, @Nullable ReleaseRequest releaseRequest, boolean kept, Duration linger,
		String note) {

	/**
	 * A holder that is not done and was not asked to release the lock, and whose client
	 * does not keep the lease afterwards.
	 * @param limit how many may hold the lock at the same time, this holder included
	 * @param renewedAt when its lease last began
	 */
	public StoredHolder(String leaseToken, long fence, int limit, LockOwner owner, Instant acquiredAt,
			Instant renewedAt, Duration ttl) {
		this(leaseToken, fence, limit, owner, acquiredAt, renewedAt, ttl, null, false, Duration.ZERO, "");
	}

	/**
	 * Whether the lease still runs.
	 */
	public boolean isAlive(Instant now) {
		return this.renewedAt.plus(this.ttl).isAfter(now);
	}

	/**
	 * Whether its client may keep the lease while nobody holds the lock.
	 * @param recalled the token of the holder that was recalled last, {@code null} if
	 * none was
	 */
	public boolean mayBeIdle(@Nullable String recalled) {
		return !this.linger.isZero() && !this.kept && !this.leaseToken.equals(recalled);
	}

	/**
	 * The holder for diagnostics.
	 * @return the holder without its token
	 */
	public LockHolder toHolder(Instant now) {
		Duration remaining = Duration.between(now, this.renewedAt.plus(this.ttl));
		Duration heldFor = Duration.between(this.acquiredAt, now);
		return new LockHolder(this.owner, this.fence, this.acquiredAt, positive(heldFor), positive(remaining),
				this.note);
	}

	private static Duration positive(Duration duration) {
		return (duration.isNegative()) ? Duration.ZERO : duration;
	}

}
