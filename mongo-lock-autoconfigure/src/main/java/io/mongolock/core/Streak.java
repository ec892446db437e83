package io.mongolock.core;

/**
 * The holds of one lock that this JVM hands on among its own threads, one after the
 * other, which share it. It has a time, which counts from when other JVMs were last known
 * not to wait. They may come at any moment after that, and nobody notifies the holder.
 * Thread-safe.
 */
final class Streak {

	private final long firstFence;

	/** On the monotonic clock. */
	private volatile long begun;

	/** Whether a look is underway, or others were known to wait, or may. */
	private boolean looked;

	/**
	 * Begin a streak.
	 * @param begun when, on the monotonic clock
	 * @param contended whether others wait from the start
	 */
	Streak(long begun, long firstFence, boolean contended) {
		this.begun = begun;
		this.firstFence = firstFence;
		this.looked = contended;
	}

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

	/**
	 * Look whether others wait, unless that is known or asked.
	 * @return whether to look
	 */
	synchronized boolean looks() {
		boolean looks = !this.looked;
		this.looked = true;
		return looks;
	}

	/**
	 * A look has found that nobody waits.
	 * @param left when it left
	 */
	synchronized void nobodyWaits(ClockReading left) {
		this.begun = left.nanos();
		this.looked = false;
	}

}
