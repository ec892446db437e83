package io.mongolock;

import java.time.Duration;
import java.time.Instant;

/**
 * A holder of a lock as the store saw it when it answered. All times are by the store's
 * clock.
 *
 * @param owner who holds the lock; if a JVM hands the lock over between its threads, the
 * thread to which the store granted the lock
 * @param fence the number of this grant
 * @param acquiredAt when the lock was granted
 * @param heldFor how long the lock had been held at the time of the answer
 * @param remaining how long the lease still lasted without a renewal, zero if it had run
 * out
 * @param note the text of {@link LockHandle#note}, empty if there is none
 */
public record LockHolder(LockOwner owner, long fence, Instant acquiredAt, Duration heldFor, Duration remaining,
		String note) {

	/** How many characters a note may have. */
	public static final int MAX_NOTE = 200;

	/**
	 * Create a holder without a note.
	 * @param owner who holds the lock
	 * @param fence the number of the grant
	 * @param acquiredAt when the lock was granted
	 * @param heldFor how long the lock had been held at the time of the answer
	 * @param remaining how long the lease still lasted without a renewal
	 */
	public LockHolder(LockOwner owner, long fence, Instant acquiredAt, Duration heldFor, Duration remaining) {
		this(owner, fence, acquiredAt, heldFor, remaining, "");
	}

	/**
	 * When the lease ends, unless it is renewed.
	 * @return the time, by the store's clock
	 */
	public Instant until() {
		return this.acquiredAt.plus(this.heldFor).plus(this.remaining);
	}

}
