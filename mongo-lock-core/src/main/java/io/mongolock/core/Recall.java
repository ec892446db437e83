package io.mongolock.core;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The knowledge of this client about others who want a lock whose lease it may keep idle,
 * and for how many claims it paid to keep it; one for all holders of a grant.
 * Thread-safe: what is known only grows.
 */
final class Recall {

	private final AtomicBoolean wanted = new AtomicBoolean();

	private final AtomicInteger served = new AtomicInteger();

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
	 * A claim takes the lease that is idle.
	 */
	void serve() {
		this.served.incrementAndGet();
	}

	/**
	 * How many claims the idle lease has served.
	 */
	int served() {
		return this.served.get();
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
