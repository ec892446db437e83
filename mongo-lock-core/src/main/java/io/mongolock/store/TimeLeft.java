package io.mongolock.store;

import java.time.Duration;

import io.mongolock.LockClock;

/**
 * The time that several requests share. Thread-safe.
 *
 * @param clock the clock whose monotonic time counts
 * @param until when the time is over, by that clock
 */
public record TimeLeft(LockClock clock, long until) {

	/**
	 * Create a time that begins now.
	 */
	public TimeLeft(LockClock clock, Duration timeout) {
		this(clock, clock.nanoTime() + timeout.toNanos());
	}

	/**
	 * The time that is left for the next request.
	 * @return at least one millisecond, because zero would mean for ever
	 */
	public Duration left() {
		return Duration.ofNanos(Math.max(1_000_000, this.until - this.clock.nanoTime()));
	}

	/**
	 * Whether the time is over, or less than a millisecond is left.
	 */
	public boolean isOver() {
		return this.until - this.clock.nanoTime() < 1_000_000;
	}

}
