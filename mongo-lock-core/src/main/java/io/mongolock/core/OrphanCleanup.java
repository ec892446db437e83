package io.mongolock.core;

import java.time.Duration;

/**
 * The times at which to repeat the release of a token, because its requests may still be
 * executed late. The first is at once, the others follow at growing distances, and the
 * last is one ttl after the start. If only a release is in doubt, the clean-up ends with
 * the first answer. While the store fails, it is asked as often as for renewals, so that
 * the lock is free soon after the fault. A lock that has to stay taken for a while is
 * given that time again instead, until the store has answered. When the time is over, it
 * is released. Belongs to one thread at a time.
 */
public final class OrphanCleanup {

	private static final int FIRST_FRACTION = 32;

	/** The longest pause between two requests to a store that fails. */
	private static final long MAX_PAUSE = 1_000_000_000;

	private final ClockReading begun;

	private final long ttlNanos;

	private final boolean mayBeGrantedLate;

	private long fraction = FIRST_FRACTION;

	private boolean inQueue;

	/** How many requests in a row had no answer. */
	private int unanswered;

	/**
	 * Begin a clean-up.
	 * @param mayBeGrantedLate whether a claim of the token may still be executed
	 */
	public OrphanCleanup(ClockReading begun, Duration ttl, boolean mayBeGrantedLate) {
		this.begun = begun;
		this.ttlNanos = ttl.toNanos();
		this.mayBeGrantedLate = mayBeGrantedLate;
	}

	/**
	 * Begin a clean-up of a lease that has to run out first. It is released once after
	 * that.
	 */
	static OrphanCleanup afterExpiry(ClockReading begun, Duration ttl) {
		OrphanCleanup cleanup = new OrphanCleanup(begun, ttl, true);
		cleanup.fraction = 1;
		return cleanup;
	}

	/**
	 * A claim of the token may have entered the queue, too.
	 */
	OrphanCleanup alsoInQueue() {
		this.inQueue = true;
		return this;
	}

	/**
	 * Whether the queue has to be left, too.
	 * @return whether a claim of the token may have entered it
	 */
	public boolean isInQueue() {
		return this.inQueue;
	}

	/**
	 * Begin a clean-up of a lock that has to stay taken first.
	 * @param mayBeGrantedLate whether a claim of the token may still be executed
	 */
	static OrphanCleanup keeping(ClockReading now, Duration keptFor, Duration ttl, boolean mayBeGrantedLate) {
		return new OrphanCleanup(now.plus(keptFor), ttl, mayBeGrantedLate);
	}

	/**
	 * How long the lock still has to stay taken. Its lease must be given that time
	 * instead of being released.
	 * @return whole milliseconds, zero if the lease must be released
	 */
	public Duration keptFor(ClockReading now) {
		return ClockReading.untilWholeMillis(this.begun.nanos() - now.nanos());
	}

	/**
	 * The wait before the first release.
	 * @return nanoseconds
	 */
	public long first(ClockReading now) {
		return (this.fraction == FIRST_FRACTION) ? 0 : next(now);
	}

	/**
	 * How long the next request may take. The time is short at first, so that a blocked
	 * document keeps no thread from others. It doubles with each request that had no
	 * answer.
	 * @param first how long the first request may take
	 * @param most how long any request may take
	 */
	public Duration timeout(Duration first, Duration most) {
		return ClockReading.shorter(first.multipliedBy(1L << Math.min(this.unanswered, 10)), most);
	}

	/**
	 * Whether the document may be blocked.
	 * @return whether the last request had no answer
	 */
	public boolean isSuspect() {
		return this.unanswered > 0;
	}

	/**
	 * A request had no answer. {@link #failed} must follow.
	 */
	public void unanswered() {
		this.unanswered++;
	}

	/**
	 * The store answered a release.
	 * @return the wait before the next release in nanoseconds, or negative if nothing is
	 * left to do
	 */
	public long answered(ClockReading now) {
		this.unanswered = 0;
		if (!this.mayBeGrantedLate) {
			return -1;
		}
		// A lock that is kept runs out by itself, but the token may be granted again
		long kept = this.begun.nanos() - now.nanos();
		return (kept > 0) ? kept : next(now);
	}

	/**
	 * The store failed.
	 * @return the wait before the next release in nanoseconds, or negative if nothing is
	 * left to do
	 */
	public long failed(ClockReading now) {
		long pause = Math.min(MAX_PAUSE, this.ttlNanos / 16);
		long kept = this.begun.nanos() - now.nanos();
		if (kept > 0) {
			return Math.min(kept, pause);
		}
		if (this.fraction >= 1 && kept + this.ttlNanos > pause) {
			return pause;
		}
		this.fraction = Math.min(this.fraction, 1);
		return next(now);
	}

	// The last time counts even if it is over
	private long next(ClockReading now) {
		while (this.fraction > 1 && dueIn(now) <= 0) {
			this.fraction /= 2;
		}
		if (this.fraction < 1) {
			return -1;
		}
		long dueIn = Math.max(0, dueIn(now));
		this.fraction /= 2;
		return dueIn;
	}

	private long dueIn(ClockReading now) {
		return this.begun.nanos() + this.ttlNanos / this.fraction - now.nanos();
	}

}
