package io.mongolock.interceptor;

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

}
