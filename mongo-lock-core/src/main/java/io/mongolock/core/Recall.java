package io.mongolock.core;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The knowledge of this client about others who want a lock whose lease it may keep idle,
 * and for how many claims it paid to keep it; one for all holders of a grant, from before
 * that is asked for. Thread-safe: what is known only grows.
 */
final class Recall {

	private final String token;

	private final AtomicBoolean wanted = new AtomicBoolean();

	private final AtomicInteger served = new AtomicInteger();

	/**
	 * Create it for the lease of an attempt.
	 */
	Recall(String token) {
		this.token = token;
	}

	/**
	 * Whether it is about a lease.
	 */
	boolean isOf(String token) {
		return this.token.equals(token);
	}

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

}
