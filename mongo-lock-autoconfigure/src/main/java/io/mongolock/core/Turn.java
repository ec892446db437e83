package io.mongolock.core;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The turn of this JVM at a lock: who holds it in turn shares it. It has a time, which
 * counts from when other JVMs were last known not to wait. They may come at any moment
 * after that, and nobody notifies the holder. Thread-safe.
 */
final class Turn {

	private final long firstFence;

	private volatile long begun;

	/** Whether a look is underway, or others were known to wait, or may. */
	private final AtomicBoolean looked;

	/**
	 * Begin a turn.
	 * @param contended whether others wait from the start
	 */
	Turn(ClockReading begun, long firstFence, boolean contended) {
		this.begun = begun.nanos();
		this.firstFence = firstFence;
		this.looked = new AtomicBoolean(contended);
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
	boolean looks() {
		return this.looked.compareAndSet(false, true);
	}

	/**
	 * A look has found that nobody waits.
	 * @param left when it left
	 */
	void nobodyWaits(ClockReading left) {
		this.begun = left.nanos();
		this.looked.set(false);
	}

}
