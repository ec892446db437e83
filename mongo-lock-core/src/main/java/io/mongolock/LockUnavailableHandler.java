package io.mongolock;

import org.jspecify.annotations.Nullable;

/**
 * Answers the callers of methods that are not run, because others hold the lock at the
 * end of the wait. A bean that is named by {@code unavailableHandler} of
 * {@code @DistributedLock}, or by {@code mongo-lock.unavailable-handler} for all methods
 * that say nothing else. Must be thread-safe.
 * <p>
 * Not asked if the store could not be reached, nor if the attempt was
 * {@linkplain LockAttemptAbortedException aborted}: both are exceptions, as neither says
 * that others hold the lock.
 */
@FunctionalInterface
public interface LockUnavailableHandler {

	/**
	 * Answer one call. Runs without the lock, on the thread of the caller, or on one of
	 * the library for a result that ends later.
	 * @param call what was called
	 * @param ex who holds the lock, and how long the call waited; may be thrown
	 * @return what the caller gets, of the type of the method's result; ignored if that
	 * is void
	 * @throws Throwable what the caller gets instead, unchanged
	 */
	@Nullable Object handle(UnavailableCall call, LockUnavailableException ex) throws Throwable;

}
