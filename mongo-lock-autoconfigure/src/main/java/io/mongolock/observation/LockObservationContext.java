package io.mongolock.observation;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;

/**
 * An attempt, or a lock that is held, as it is observed. Thread-safe.
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
	 * How it ended.
	 * @return the outcome by the name that the meter uses, or {@code null} as long as it
	 * goes on
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
