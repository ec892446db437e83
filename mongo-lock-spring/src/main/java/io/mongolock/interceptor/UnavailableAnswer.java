package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockUnavailableException;

/**
 * The answer to the caller of a method that is not run because another holder has its
 * lock. {@link #isTo} decides which exceptions it answers. Chosen once per method.
 * Thread-safe.
 */
@FunctionalInterface
interface UnavailableAnswer {

	/**
	 * Answer one call, without the lock.
	 * @param ex the exception, which names the holder
	 * @throws Throwable the exception that the caller gets instead of an answer
	 */
	@Nullable Object answer(LockedCall call, LockUnavailableException ex) throws Throwable;

	/**
	 * Whether a failure says that another holder has a lock of this call. It does not if
	 * the method, a key or a condition has asked for another lock, or if the attempt was
	 * aborted.
	 */
	static boolean isTo(LockUnavailableException ex, LockedCall call) {
		return call.isClaiming() && !(ex instanceof LockAttemptAbortedException);
	}

}
