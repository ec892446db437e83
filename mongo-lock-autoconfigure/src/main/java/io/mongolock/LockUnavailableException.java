package io.mongolock;

import java.time.Duration;
import java.util.List;

/**
 * The lock was held by others until the wait was over, or the client no longer takes
 * claims.
 */
public class LockUnavailableException extends LockException {

	private final transient List<LockHolder> holders;

	private final Duration waited;

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param holders who held it when last asked
	 * @param waited how long the claim waited
	 * @param message what happened, for diagnostics
	 */
	public LockUnavailableException(String key, List<LockHolder> holders, Duration waited, String message) {
		super(key, message, null);
		this.holders = List.copyOf(holders);
		this.waited = waited;
	}

	/**
	 * Who held the lock when the store, or this JVM for its own, was last asked.
	 * @return the holders, empty if unknown
	 */
	public List<LockHolder> getHolders() {
		return (this.holders != null) ? this.holders : List.of();
	}

	/**
	 * How long the claim waited.
	 * @return the time from the claim to this exception
	 */
	public Duration getWaited() {
		return this.waited;
	}

}
