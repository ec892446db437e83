package io.mongolock;

import java.time.Duration;
import java.util.List;

/**
 * The attempt ended before its wait was over: the thread was interrupted, or the client
 * stopped. Nobody then knows whether the lock is free, so nothing answers in place of the
 * method: no {@code SKIP}, no fallback and no {@link LockUnavailableHandler}.
 */
public class LockAttemptAbortedException extends LockUnavailableException {

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param holders who held it when last asked
	 * @param waited how long the attempt waited
	 * @param claims how often it asked the store
	 * @param message what happened, for diagnostics
	 */
	public LockAttemptAbortedException(String key, List<LockHolder> holders, Duration waited, int claims,
			String message) {
		super(key, holders, waited, claims, message);
	}

}
