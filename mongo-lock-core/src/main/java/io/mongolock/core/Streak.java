package io.mongolock.core;

/**
 * The holds of one lock that this JVM hands over among its own threads, one after the
 * other. All these holds share the streak. Other JVMs may wait meanwhile without the
 * holder's knowledge, so the time and the number of holds are limited.
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
