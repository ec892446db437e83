package io.mongolock.observation;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;

/**
 * The context of an observed attempt or hold. Thread-safe.
 */
public final class LockObservationContext extends Observation.Context {

	private final LockRequest request;

	private volatile @Nullable String outcome;

	private volatile boolean waiting;

	LockObservationContext(LockRequest request) {
		this.request = request;
	}

	/**
	 * The request.
	 * @return the request, with the name of the lock and its key
	 */
	public LockRequest request() {
		return this.request;
	}

	/**
	 * The outcome.
	 * @return the outcome by the name that the meter uses, or {@code null} until the end
	 */
	public @Nullable String outcome() {
		return this.outcome;
	}

	boolean hasWaited() {
		return this.waiting;
	}

	void waiting() {
		this.waiting = true;
	}

	void end(String outcome) {
		this.outcome = outcome;
	}

}
