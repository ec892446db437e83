package io.mongolock.interceptor;

/**
 * Runs methods under their locks if the result ends later. Each implementation is for one
 * type of result. Thread-safe.
 */
interface LaterResult {

	/**
	 * Run the method under its locks, without waiting for them.
	 * @param call the call, which may be repeated after this method has returned
	 * @return a result of the declared type
	 */
	Object run(LaterLocking locking, LockedCall call);

	/**
	 * Run the method without a lock, because it needs none. Here, too, an exception of
	 * the method becomes the failure of its result.
	 * @param call the call, which may be repeated after this method has returned
	 * @return a result of the declared type
	 */
	Object runUnlocked(LockedCall call);

}
