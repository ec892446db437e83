package io.mongolock;

import org.jspecify.annotations.Nullable;

/**
 * Answers the callers of methods that are not run, because others hold the lock at the
 * end of the wait. Declare the handler as a bean, and name the bean by
 * {@code unavailableHandler} of {@code @DistributedLock}. To use the bean for all methods
 * without an answer of their own, name it by {@code mongo-lock.unavailable-handler}. Must
 * be thread-safe.
 * <p>
 * The handler is not asked if the store could not be reached, nor if the attempt was
 * {@linkplain LockAttemptAbortedException aborted}. In these cases, it is unknown whether
 * others hold the lock, so the caller gets an exception.
 */
@FunctionalInterface
public interface LockUnavailableHandler {

	/**
	 * Answer one call. This runs without the lock, on the caller's thread, or on a thread
	 * of the library if the method's result ends later.
	 * @param call the method that was called
	 * @param ex who holds the lock, and how long the call waited; you may throw this
	 * exception
	 * @return the result for the caller, of the method's result type; ignored if this
	 * type is void
	 * @throws Throwable an exception for the caller, who gets it unchanged
	 */
	@Nullable Object handle(UnavailableCall call, LockUnavailableException ex) throws Throwable;

}
