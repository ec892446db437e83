package io.mongolock.interceptor;

/**
 * Runs methods whose results end later under their locks, for one type of result.
 * Thread-safe.
 */
interface LaterResult {

	/**
	 * Run the method under its locks, without waiting for them.
	 * @param call may be repeated after the method has returned
	 * @return what the method declares
	 */
	Object run(LaterLocking locking, LockedCall call);

	/**
	 * Run the method without a lock, because it needs none. What it throws is the failure
	 * of its result here as well.
	 * @param call may be repeated after the method has returned
	 * @return what the method declares
	 */
	Object runUnlocked(LockedCall call);

}
