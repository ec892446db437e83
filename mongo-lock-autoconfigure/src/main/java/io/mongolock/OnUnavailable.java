package io.mongolock;

/**
 * What an annotated method does when its lock is still held by another at the end of the
 * wait. Trouble with the store is no part of this: it is always an exception.
 */
public enum OnUnavailable {

	/**
	 * Throw a {@link LockUnavailableException}.
	 */
	FAIL,

	/**
	 * Do not run the method; return {@code null} or the empty value of its return type.
	 * Does not wait for the lock unless a wait timeout is set on the method or for the
	 * name of its lock; that for all locks ({@code mongo-lock.wait-timeout}) does not
	 * count.
	 */
	SKIP

}
