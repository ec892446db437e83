package io.mongolock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

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
	 * to the store. Inside a transaction that was begun before, the lock is released when
	 * that has ended, and a commit is refused once the lock is lost; if nobody knows
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
	 * Acquire the lock if it is free, or becomes so within the wait timeout of the
	 * request or of its name. The wait timeout for all locks does not count: as with
	 * {@link OnUnavailable#SKIP}, who asks goes on without the lock.
	 * @param request which lock, and how
	 * @return the handle, to be closed by the caller, or empty if the lock was still held
	 * by another after the wait
	 * @throws LockUnavailableException if the thread was interrupted while waiting
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire the lock without blocking the caller. A future that is completed by anyone
	 * else first, for instance cancelled or by {@code orTimeout}, ends the claim, and
	 * what is granted after that is released at once. What is attached to the future runs
	 * on a thread of its own and may block. Where a handle would have to be passed along
	 * until work ends that runs elsewhere, {@link #executeAsync} is simpler.
	 * @param request which lock, and how
	 * @return completes with the handle, to be closed by the caller, or with the
	 * exception that {@link #acquire} would throw, at the latest one operation timeout
	 * after the wait timeout
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * Acquire the lock without blocking the caller, begin the work, hold the lock until
	 * its stage has ended, and release it then.
	 * <p>
	 * Cancelling the returned future, or completing it otherwise, ends the claim; if the
	 * work has begun, its stage is cancelled, and the lock is released once that has
	 * ended. Work that goes on although its stage was cancelled goes on without the lock.
	 * As the work is bound to no thread, {@link OnLost#INTERRUPT} is as
	 * {@link OnLost#FAIL}.
	 * @param <T> what the work results in
	 * @param request which lock, and how
	 * @param callback begins the work; runs under the lock, on a thread of its own or,
	 * where the calling thread holds the lock already, on that
	 * @return completes when the lock is released, with the result of the stage, with
	 * what it or the callback failed with (a lost lock is then added as suppressed), or
	 * with the exception that {@link #acquire} would throw; with
	 * {@link LockLostException} if the lock was lost meanwhile and the request does not
	 * say {@link OnLost#IGNORE}
	 */
	<T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, ?> callback);

}
