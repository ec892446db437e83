package io.mongolock;

/**
 * The choices for an annotated method whose lock is still held by another holder at the
 * end of the wait. If the store fails, or if an attempt is
 * {@linkplain LockAttemptAbortedException aborted}, the caller always gets an exception.
 */
public enum OnUnavailable {

	/**
	 * Throw a {@link LockUnavailableException}.
	 */
	FAIL,

	/**
	 * Do not run the method, and return the empty value of its result type. This is an
	 * empty {@code Optional}, collection, map, array, stage or publisher, zero or
	 * {@code false} for a wrapper type, and {@code null} for all other types. A primitive
	 * type is refused at startup. The call waits for the lock only if a wait timeout is
	 * set on the method or for the name of its lock. The setting
	 * {@code mongo-lock.wait-timeout} for all locks does not count.
	 */
	SKIP

}
