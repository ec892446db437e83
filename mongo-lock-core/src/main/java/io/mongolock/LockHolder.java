package io.mongolock;

import java.time.Duration;
import java.time.Instant;

/**
 * A holder of a lock as the store saw it when it answered; all times are the store's.
 *
 * @param owner who holds it; of a lock that another JVM hands on among its threads, the
 * thread that was granted it
 * @param fence the number of that grant
 * @param acquiredAt when it was granted
 * @param heldFor how long it had been held at that time
 * @param remaining how long its lease still ran unless renewed, zero if it had run out
 * @param note what it does, as {@link LockHandle#note} said; empty if it did not
 */
public record LockHolder(LockOwner owner, long fence, Instant acquiredAt, Duration heldFor, Duration remaining,
		String note) {

	/** How many characters a note may have. */
	public static final int MAX_NOTE = 200;

	/**
	 * A holder that has not said what it does.
	 * @param owner who holds it
	 * @param fence the number of its grant
	 * @param acquiredAt when it was granted
	 * @param heldFor how long it had been held
	 * @param remaining how long its lease still ran unless renewed
	 */
	public LockHolder(LockOwner owner, long fence, Instant acquiredAt, Duration heldFor, Duration remaining) {
		this(owner, fence, acquiredAt, heldFor, remaining, "");
	}

	/**
	 * When its lease ends unless renewed.
	 * @return the time, by the store's clock
	 */
	public Instant until() {
		return this.acquiredAt.plus(this.heldFor).plus(this.remaining);
	}

}
