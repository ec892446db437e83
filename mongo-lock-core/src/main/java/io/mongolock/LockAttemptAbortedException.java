package io.mongolock;

import java.time.Duration;
import java.util.List;

/**
 * An attempt ended before its wait was over, because the thread was interrupted or the
 * client stopped. It is then unknown whether the lock is free. So the method is not
 * answered by {@code SKIP}, a fallback or a {@link LockUnavailableHandler}, and the
 * caller gets this exception.
 */
public class LockAttemptAbortedException extends LockUnavailableException {

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param holders the last known holders of the lock
	 * @param waited how long the attempt waited
	 * @param claims how often the attempt asked the store
	 * @param message what happened, for diagnostics
	 */
	public LockAttemptAbortedException(String key, List<LockHolder> holders, Duration waited, int claims,
			String message) {
		super(key, holders, waited, claims, message);
	}

}
