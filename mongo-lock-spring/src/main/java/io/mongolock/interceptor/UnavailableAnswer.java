package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockUnavailableException;

/**
 * The answer to the caller of a method that is not run, because others hold its lock.
 * Chosen once per method. Thread-safe.
 */
@FunctionalInterface
interface UnavailableAnswer {

	/**
	 * Answer one call, without the lock.
	 * @param ex who holds the lock
	 * @throws Throwable what the caller gets instead
	 */
	@Nullable Object answer(LockedCall call, LockUnavailableException ex) throws Throwable;

	/**
	 * Whether a failure says that others hold a lock of a call. Neither that of another
	 * lock does, which the method, a key or a condition asked for, nor that of an attempt
	 * which was aborted.
	 */
	static boolean isTo(LockUnavailableException ex, LockedCall call) {
		return call.isClaiming() && !(ex instanceof LockAttemptAbortedException);
	}

}
