package io.mongolock.core;

import io.mongolock.LockClock;

/**
 * A reading of both clocks at once.
 *
 * @param nanos the monotonic clock, in nanoseconds
 * @param millis the wall clock, in milliseconds
 */
public record ClockReading(long nanos, long millis) {

	/**
	 * Read the clocks.
	 * @param clock the clocks
	 * @return the moment
	 */
	public static ClockReading of(LockClock clock) {
		return new ClockReading(clock.nanoTime(), clock.currentTimeMillis());
	}

	/**
	 * The time since an earlier moment for the judgement of a lease: the longer of what
	 * the two clocks say, as the monotonic clock stands still while a machine is
	 * suspended. The wall clock may thus end a lease early but never lengthen it.
	 * @param earlier the earlier moment
	 * @return nanoseconds
	 */
	public long elapsedSince(ClockReading earlier) {
		return Math.max(this.nanos - earlier.nanos, (this.millis - earlier.millis) * 1_000_000);
	}

}
