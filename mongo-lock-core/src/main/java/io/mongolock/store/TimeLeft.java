package io.mongolock.store;

import java.time.Duration;

import io.mongolock.LockClock;

/**
 * The time that several requests share. Thread-safe.
 *
 * @param clock by whose monotonic time it passes
 * @param until when it is over, by that clock
 */
public record TimeLeft(LockClock clock, long until) {

	/**
	 * The time that begins now.
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
	 * Whether it is over.
	 */
	public boolean isOver() {
		return this.until - this.clock.nanoTime() < 1_000_000;
	}

}
