package io.mongolock.core;

import java.time.Duration;

import io.mongolock.LockClock;

/**
 * A reading of both clocks at once.
 *
 * @param nanos the monotonic clock, in nanoseconds
 * @param millis the wall clock, in milliseconds
 */
public record ClockReading(long nanos, long millis) {

	/**
	 * A time from now, in nanoseconds, that never comes.
	 */
	public static final long NEVER = Long.MAX_VALUE / 4;

	/**
	 * Read the clocks.
	 */
	public static ClockReading of(LockClock clock) {
		return new ClockReading(clock.nanoTime(), clock.currentTimeMillis());
	}

	/**
	 * The reading after a duration.
	 */
	ClockReading plus(Duration duration) {
		return new ClockReading(this.nanos + duration.toNanos(), this.millis + duration.toMillis());
	}

	/**
	 * The time left, in the unit of the store and rounded up.
	 * @param nanos the time left, negative if it is over
	 * @return whole milliseconds
	 */
	static Duration untilWholeMillis(long nanos) {
		return (nanos > 0) ? Duration.ofMillis((nanos + 999_999) / 1_000_000) : Duration.ZERO;
	}

	/**
	 * The shorter of two times.
	 */
	public static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	/**
	 * The time since an earlier moment, for the judgement of a lease. It is the longer
	 * time of the two clocks, because the monotonic clock stands still while a machine is
	 * suspended. So the wall clock can end a lease early, but can never lengthen it.
	 * @return nanoseconds
	 */
	public long elapsedSince(ClockReading earlier) {
		return Math.max(this.nanos - earlier.nanos, (this.millis - earlier.millis) * 1_000_000);
	}

}
