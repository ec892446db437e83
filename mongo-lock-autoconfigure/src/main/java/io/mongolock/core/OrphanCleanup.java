package io.mongolock.core;

import java.time.Duration;

/**
 * When to release a token again whose requests may still be executed late: at once, then
 * at growing distances, the last time one ttl after the start. Nothing is left to do
 * before that if only a release is in doubt and one was answered. Belongs to one thread
 * at a time.
 */
public final class OrphanCleanup {

	private static final int FIRST_FRACTION = 32;

	private final ClockReading begun;

	private final long ttlNanos;

	private final boolean mayBeGrantedLate;

	private long fraction = FIRST_FRACTION;

	private boolean answered;

	/**
	 * Begin a clean-up.
	 * @param begun when
	 * @param ttl how long a lease of the token lasts
	 * @param mayBeGrantedLate whether a claim of the token may still be executed
	 */
	public OrphanCleanup(ClockReading begun, Duration ttl, boolean mayBeGrantedLate) {
		this.begun = begun;
		this.ttlNanos = ttl.toNanos();
		this.mayBeGrantedLate = mayBeGrantedLate;
	}

	/**
	 * The store answered a release.
	 */
	public void answered() {
		this.answered = true;
	}

	/**
	 * The wait before the next release.
	 * @param now the time
	 * @return nanoseconds, or negative if nothing is left to do
	 */
	public long next(ClockReading now) {
		if (this.fraction < 1 || (this.answered && !this.mayBeGrantedLate)) {
			return -1;
		}
		long at = this.begun.nanos() + this.ttlNanos / this.fraction;
		this.fraction /= 2;
		return Math.max(0, at - now.nanos());
	}

}
