package io.mongolock.core;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What this client knows of others who want a lock whose lease it may keep idle; one for
 * all holders of a grant. Thread-safe: what is known only grows.
 */
final class Recall {

	private final AtomicBoolean wanted = new AtomicBoolean();

	/** When the last look left that found nobody. */
	private volatile long seenAt;

	private volatile boolean seen;

	/**
	 * Others want the lock: its lease is not idle any more.
	 * @return whether that is news
	 */
	boolean want() {
		return !this.wanted.getAndSet(true);
	}

	/**
	 * Whether others want the lock.
	 */
	boolean isWanted() {
		return this.wanted.get();
	}

	/**
	 * A look found nobody who wants the lock.
	 * @param left when it left
	 */
	void seen(long left) {
		this.seenAt = left;
		this.seen = true;
	}

	/**
	 * When the last look left that found nobody.
	 * @param otherwise when there was none
	 */
	long lastSeen(long otherwise) {
		return (this.seen && this.seenAt - otherwise > 0) ? this.seenAt : otherwise;
	}

	/**
	 * Whether a look that left later than a moment found nobody who wants the lock.
	 */
	boolean isSeenAfter(long moment) {
		return this.seen && this.seenAt - moment > 0;
	}

}
