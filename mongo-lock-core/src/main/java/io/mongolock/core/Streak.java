package io.mongolock.core;

/**
 * The holds of one lock that this JVM hands on among its own threads, one after the
 * other, which share it. Other JVMs may wait meanwhile, and nobody notifies the holder of
 * that, so a streak has a time and a number.
 *
 * @param begun when it began, on the monotonic clock
 * @param firstFence the fence of its first hold
 */
record Streak(long begun, long firstFence) {

	/**
	 * How long others may have been waiting.
	 * @return nanoseconds
	 */
	long elapsed(ClockReading now) {
		return now.nanos() - this.begun;
	}

	/**
	 * How often the lock was handed over.
	 */
	long handOvers(long fence) {
		return fence - this.firstFence;
	}

}
