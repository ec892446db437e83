package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockUnavailableException;

/**
 * How methods whose results end later run under their locks: those of one type of result.
 * Thread-safe.
 */
interface LaterResult {

	/**
	 * Run the method under its locks, without waiting for them.
	 * @param call may be repeated after the method has returned
	 * @return what the method declares
	 */
	Object run(AsyncLocking locking, LockedCall call);

	/**
	 * Whether a call failed because others held its lock, and not by what the method
	 * threw.
	 */
	static boolean isUnavailable(@Nullable Throwable failure, LockedCall call) {
		return failure instanceof LockUnavailableException && !call.hasBegun();
	}

}
