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
 */
public record LockHolder(LockOwner owner, long fence, Instant acquiredAt, Duration heldFor, Duration remaining) {

	/**
	 * When its lease ends unless renewed.
	 * @return the time, by the store's clock
	 */
	public Instant until() {
		return this.acquiredAt.plus(this.heldFor).plus(this.remaining);
	}

}
