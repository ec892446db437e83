package io.mongolock;

/**
 * The choices of an annotated method whose lock is still held by another at the end of
 * the wait. Trouble with the store is no part of this, nor is an attempt that was
 * {@linkplain LockAttemptAbortedException aborted}: both are always exceptions.
 */
public enum OnUnavailable {

	/**
	 * Throw a {@link LockUnavailableException}.
	 */
	FAIL,

	/**
	 * Do not run the method; return what its type has for nothing: an empty
	 * {@code Optional}, collection, map, array, stage or publisher, zero or {@code false}
	 * of a wrapper, and {@code null} of all others. A primitive type is refused at
	 * startup. Does not wait for the lock unless a wait timeout is set on the method or
	 * for the name of its lock; that for all locks ({@code mongo-lock.wait-timeout}) does
	 * not count.
	 */
	SKIP

}
