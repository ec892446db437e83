package io.mongolock.core;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.mongolock.LockRequest;

/**
 * Knows whether others want a lock whose lease this client may keep idle, and how many
 * claims the idle lease has served. All holders of a grant share one recall, which exists
 * before the grant is asked for. Thread-safe.
 */
public final class Recall {

	/**
	 * How many fences such a grant sets aside for the holders to come. The clock of the
	 * store advances by that many within a millisecond, and the fences must fit between
	 * the previous grant and this one.
	 */
	public static final int RESERVE = 1000;

	private final Attempt attempt;

	private final AtomicBoolean wanted = new AtomicBoolean();

	private final AtomicInteger served = new AtomicInteger();

	private volatile boolean used;

	/**
	 * Create it for the lease of an attempt.
	 */
	public Recall(Attempt attempt) {
		this.attempt = attempt;
	}

	/**
	 * The request for which the lease is or was granted.
	 */
	public LockRequest request() {
		return this.attempt.request();
	}

	/**
	 * Whether it is about the lease with this token.
	 */
	public boolean isOf(String token) {
		return this.attempt.id().leaseToken().equals(token);
	}

	/**
	 * Others want the lock, so its lease is not idle any more.
	 * @return whether that is news
	 */
	public boolean want() {
		return !this.wanted.getAndSet(true);
	}

	/**
	 * Whether others want the lock.
	 */
	public boolean isWanted() {
		return this.wanted.get();
	}

	/**
	 * A claim takes the idle lease.
	 */
	public void serve() {
		this.used = true;
		this.served.incrementAndGet();
	}

	/**
	 * Whether the idle lease has served any claim.
	 */
	public boolean isUsed() {
		return this.used;
	}

	/**
	 * How many claims the idle lease has served since the last call of this method.
	 */
	public int takeServed() {
		return this.served.getAndSet(0);
	}

}
