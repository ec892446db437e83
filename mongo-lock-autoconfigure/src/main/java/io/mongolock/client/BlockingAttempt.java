package io.mongolock.client;

import java.util.concurrent.locks.LockSupport;

import io.mongolock.LockRequest;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.store.Claim;

/**
 * An {@link Attempt} run by the thread that wants the lock.
 */
final class BlockingAttempt extends Attempt {

	private final Thread thread = Thread.currentThread();

	private volatile boolean turn;

	private volatile boolean stopped;

	BlockingAttempt(LockRequest request, ResolvedLockSettings terms, Claim claim, LockAcquisition claiming,
			ClockReading begun) {
		super(request, terms, claim, claiming, begun);
	}

	@Override
	void turn() {
		this.turn = true;
		LockSupport.unpark(this.thread);
	}

	@Override
	void stop() {
		this.stopped = true;
		LockSupport.unpark(this.thread);
	}

	boolean hasTurn() {
		return this.turn;
	}

	boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Wait until something happens or a while has passed.
	 * @param nanos how long at most
	 */
	void park(long nanos) {
		LockSupport.parkNanos(this, nanos);
	}

}
