package io.mongolock.core;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Knows whether others want a lock whose lease this client may keep idle, and how many
 * claims the idle lease has served. All holders of a grant share one recall, which exists
 * before the grant is asked for. Thread-safe: the knowledge only grows.
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
	 * Whether it is about the lease with this token.
	 */
	boolean isOf(String token) {
		return this.token.equals(token);
	}

	/**
	 * Others want the lock, so its lease is not idle any more.
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
	 * A claim takes the idle lease.
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
