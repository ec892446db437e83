package io.mongolock.observation;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;

/**
 * What is known of a claim, or of a lock that is held, while it is observed. Thread-safe.
 */
public final class LockObservationContext extends Observation.Context {

	private final LockRequest request;

	private volatile @Nullable String outcome;

	private volatile boolean waiting;

	LockObservationContext(LockRequest request) {
		this.request = request;
	}

	/**
	 * What was asked for.
	 * @return the request, with the name of the lock and its key
	 */
	public LockRequest request() {
		return this.request;
	}

	/**
	 * How it ended.
	 * @return the outcome, as the meter has it, or {@code null} as long as it goes on
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
