package io.mongolock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Locks without an annotation. Thread-safe.
 * <p>
 * All methods throw {@link IllegalArgumentException} for settings that contradict each
 * other, {@link LockStoreException} if the store could not be asked within the wait, and
 * {@link LockUnavailableException} after shutdown.
 */
public interface LockOperations {

	/**
	 * Run the callback under the lock. Called again on the same thread from within the
	 * callback for the same key, it runs under the lock already held, without a request
	 * to the store. Inside a transaction that was begun before, the lock is given back
	 * when that has ended, and a commit is refused once the lock is lost; if nobody knows
	 * whether it was committed, the lease is left to run out.
	 * @param <T> what the callback returns
	 * @param <E> what the callback throws
	 * @param request which lock, and how
	 * @param callback the work
	 * @return what the callback returned
	 * @throws E what the callback threw; a lost lock is then added as suppressed
	 * @throws LockUnavailableException if the lock was still held by another after the
	 * wait timeout, or the thread was interrupted meanwhile
	 * @throws LockLostException after the callback, if the lock was lost while it ran and
	 * the request does not say {@link OnLost#IGNORE}
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E;

	/**
	 * Acquire the lock, waiting up to the wait timeout. The handle is not bound to the
	 * thread; from within {@link #execute} for the same key it shares the lock held
	 * there. Inside a transaction the lock is kept until that has ended, also if the
	 * handle is closed before, and further claims of the same key in that transaction
	 * share it.
	 * @param request which lock, and how
	 * @return the handle, to be closed by the caller
	 * @throws LockUnavailableException if the lock was still held by another after the
	 * wait timeout, or the thread was interrupted meanwhile
	 */
	LockHandle acquire(LockRequest request);

	/**
	 * Acquire the lock if it becomes free within the wait timeout.
	 * @param request which lock, and how
	 * @return the handle, to be closed by the caller, or empty if the lock was still held
	 * by another after the wait timeout
	 * @throws LockUnavailableException if the thread was interrupted while waiting
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire the lock without blocking the caller.
	 * @param request which lock, and how
	 * @return completes with the handle, to be closed by the caller, or with the
	 * exception that {@link #acquire} would throw; cancelling it ends the claim
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

}
