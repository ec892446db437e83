package io.mongolock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

/**
 * Acquires locks in code, without an annotation. Thread-safe.
 * <p>
 * All methods throw an {@link IllegalArgumentException} if the settings of a request
 * contradict each other. They throw a {@link LockStoreException} if the store could not
 * be asked within the wait. If the client stops during the call, or has stopped before,
 * they throw a {@link LockAttemptAbortedException}, which is a
 * {@link LockUnavailableException}.
 */
public interface LockOperations {

	/**
	 * Run the callback under the lock, and release the lock afterwards. If an outer call
	 * of this method on the same thread already holds the lock of the same key, the
	 * callback runs under it, without a request to the store.
	 * <p>
	 * Inside a transaction, the lock is released when the transaction has ended. If the
	 * lock is lost before the commit, the commit is refused. If it is unknown whether the
	 * transaction was committed, the lock is not released, and its lease runs out.
	 * @param <T> what the callback returns
	 * @param <E> what the callback throws
	 * @param request which lock to take, and how
	 * @param callback the work
	 * @return the result of the callback
	 * @throws E the exception of the callback; if the lock was lost, too, the loss is
	 * added as a suppressed exception
	 * @throws LockUnavailableException if another holder still had the lock after the
	 * wait timeout; a {@link LockAttemptAbortedException} if the thread was interrupted
	 * while it waited
	 * @throws LockLostException if the lock was lost before the callback began, so that
	 * the callback did not run; or if the lock was lost while the callback ran, unless
	 * the request says {@link OnLost#IGNORE}
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E;

	/**
	 * Run the callback under several locks, or not at all. The locks are acquired in the
	 * order of their keys, whatever the order of the list, so that two such calls never
	 * wait for each other. They are released in reverse order. The wait timeout of each
	 * lock counts from the beginning of the call. In all other respects, this method
	 * works like {@link #execute(LockRequest, LockCallback)}.
	 * @param <T> what the callback returns
	 * @param <E> what the callback throws
	 * @param requests 1 to 512 locks to take; if several requests have the same key, the
	 * first of these requests counts
	 * @param callback the work; its handle is the lock of the last key, and
	 * {@link LockContext#find} finds the other locks
	 * @return the result of the callback
	 * @throws E the exception of the callback; if a lock was lost, too, the loss is added
	 * as a suppressed exception
	 * @throws IllegalArgumentException if the list is empty, or if two requests for the
	 * same key have different modes or limits
	 * @throws LockUnavailableException if another holder still had one of the locks after
	 * the wait timeout
	 * @throws LockLostException if one of the locks was lost, even while the call waited
	 * for another lock
	 * @throws UnsupportedOperationException if this implementation takes only one lock at
	 * a time
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(List<LockRequest> requests,
			LockCallback<T, E> callback) throws E {
		throw new UnsupportedOperationException(
				getClass().getName() + " takes only one lock at a time. To take several locks, implement execute(List, "
						+ "LockCallback) in this class");
	}

	/**
	 * Acquire the lock, and wait for it until the wait timeout. The handle is not bound
	 * to the thread. Within {@link #execute} for the same key, the handle shares the lock
	 * that is held there.
	 * <p>
	 * Inside a transaction, the lock is kept until the transaction has ended, even if you
	 * close the handle earlier. Further calls for the same key in this transaction share
	 * the lock.
	 * @param request which lock to take, and how
	 * @return the handle, which the caller must close
	 * @throws LockUnavailableException if another holder still had the lock after the
	 * wait timeout; a {@link LockAttemptAbortedException} if the thread was interrupted
	 * while it waited
	 */
	LockHandle acquire(LockRequest request);

	/**
	 * Acquire the lock if it is free, or if it becomes free within the wait timeout of
	 * the request or of its name. The wait timeout for all locks does not apply, as with
	 * {@link OnUnavailable#SKIP}.
	 * @param request which lock to take, and how
	 * @return the handle, which the caller must close, or empty if another holder still
	 * had the lock after the wait
	 * @throws LockAttemptAbortedException if the thread was interrupted while it waited
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire the lock without blocking the caller. If you cancel the future or complete
	 * it yourself, for example by {@code orTimeout}, the attempt ends. If the lock is
	 * granted after that, it is released at once.
	 * <p>
	 * A function that you attach to the future runs on a thread of its own, and may
	 * block. This thread does not have the context of the calling thread, for example its
	 * MDC. If your work needs this context, or if the work ends on another thread,
	 * {@link #executeAsync} is simpler.
	 * @param request which lock to take, and how
	 * @return a future that completes with the handle, which the caller must close, or
	 * with the exception that {@link #acquire} would throw; it completes at most one
	 * operation timeout after the wait timeout, or three operation timeouts if the lock
	 * lingers
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * Acquire the lock without blocking the caller, begin the work, and release the lock
	 * when the stage of the work has ended.
	 * <p>
	 * If you cancel the returned future or complete it yourself, for example by
	 * {@code orTimeout}, the attempt ends, and work that has not begun never begins. Work
	 * that has begun goes on under the lock. No other caller is granted the lock until
	 * the stage of the work has ended. To free the lock earlier, end this stage.
	 * <p>
	 * If the lock is lost, {@link OnLost#INTERRUPT} interrupts the thread that runs the
	 * callback. After the callback has returned, the stage is cancelled instead, if it is
	 * a {@link java.util.concurrent.Future Future}, as a {@link CompletableFuture} is.
	 * @param <T> what the work results in
	 * @param request which lock to take, and how
	 * @param callback begins the work under the lock, on a thread of its own; this thread
	 * has the context of the calling thread, for example its MDC and its security
	 * context; if the calling thread already holds the lock, the callback runs on the
	 * calling thread
	 * @return a future that completes when the lock is released: with the result of the
	 * stage; with the exception of the stage or the callback, to which a loss of the lock
	 * is added as a suppressed exception; with the exception that {@link #acquire} would
	 * throw; or with a {@link LockLostException} if the lock was lost, unless the request
	 * says {@link OnLost#IGNORE}
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		return executeAsync(List.of(request), callback);
	}

	/**
	 * Begin the work under several locks, or not at all, without blocking the caller. The
	 * locks are acquired as by {@link #execute(List, LockCallback)}. If the calling
	 * thread already holds all of the locks, the work begins on the calling thread. In
	 * all other respects, this method works like
	 * {@link #executeAsync(LockRequest, LockCallback)}.
	 * @param <T> what the work results in
	 * @param requests 1 to 512 locks to take; if several requests have the same key, the
	 * first of these requests counts
	 * @param callback begins the work; its handle is the lock of the last key, and
	 * {@link LockContext#find} finds the other locks
	 * @return a future that completes when all locks are released
	 * @throws IllegalArgumentException as {@link #execute(List, LockCallback)} does
	 * @throws UnsupportedOperationException if this implementation takes only one lock at
	 * a time
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(List<LockRequest> requests,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		throw new UnsupportedOperationException(
				getClass().getName() + " takes only one lock at a time. To take several locks, implement "
						+ "executeAsync(List, LockCallback) in this class");
	}

	/**
	 * Ask the holders of a lock, in all instances, to release it soon. The lock is not
	 * taken away from them. A holder learns of the request after one of its next
	 * renewals, by {@link LockHandle#releaseRequested()} and
	 * {@link LockListener#onReleaseRequested}, and decides what to do. If a lease is not
	 * renewed, its holder does not learn of the request. After the release, the lock is
	 * not handed over to another thread of the same JVM. The request ends with the hold.
	 * @param key the key
	 * @param reason the reason, for diagnostics; 1 to {@value ReleaseRequest#MAX_REASON}
	 * characters
	 * @return how many holders were asked, zero if the lock is free
	 */
	int requestRelease(String key, String reason);

	/**
	 * Ask the holders of a lock to release it soon, on behalf of a user. In all other
	 * respects, this method works like {@link #requestRelease(String, String)}.
	 * @param key the key
	 * @param reason the reason
	 * @param by who asks, for example the name of a user; the holder sees this name
	 * @return how many holders were asked, zero if the lock is free
	 */
	int requestRelease(String key, String reason, String by);

	/**
	 * Explain why an attempt at a lock would have to wait now. This sends one request to
	 * the store. The answer may be outdated when you get it. If you want to do something
	 * while the lock is free, use {@link #tryAcquire} instead.
	 * @param key the key
	 * @return who holds the lock and who waits for it
	 */
	LockExplanation explain(String key);

	/**
	 * Return the lock as a {@link Lock}, for code that needs this interface. Each call of
	 * this method returns a new object, which knows nothing of other objects for the same
	 * key, so keep the object in a field. The lock is reentrant: the thread that has
	 * locked it must unlock it by the same object, as often as it has locked it. The
	 * methods of {@link Lock} say how long to wait, so the wait timeout does not apply.
	 * <p>
	 * {@link Lock#lock()} and {@link Lock#lockInterruptibly()} wait without a limit, even
	 * while the store does not answer. They end without the lock by a
	 * {@link LockStoreException} if the store refuses the claim, by a
	 * {@link LockAttemptAbortedException} if the client stops, or by a
	 * {@link LockUnavailableException} if the queue is full. With
	 * {@code mongo-lock.on-deadlock=fail}, a deadlock can also end
	 * {@link Lock#lockInterruptibly()} by a {@link LockUnavailableException}. An
	 * interrupt costs {@link Lock#lock()} its place in the queue.
	 * <p>
	 * {@link Lock#tryLock()} asks once.
	 * {@link Lock#tryLock(long, java.util.concurrent.TimeUnit)} waits in whole
	 * milliseconds, rounded up, and throws a {@link LockStoreException} if the store
	 * could not be asked.
	 * <p>
	 * If the lock was lost, {@link Lock#unlock()} throws a {@link LockLostException},
	 * unless the request says {@link OnLost#IGNORE}. After that, the thread no longer
	 * holds the lock. If the thread locks once more before it unlocks, this throws, too.
	 * {@link OnLost#INTERRUPT} has the effect of {@link OnLost#FAIL}. Within
	 * {@link #execute}, this object shares the lock, but {@link #execute} between lock
	 * and unlock does not. {@link Lock#newCondition()} is not supported.
	 * @param request which lock to take, and how
	 * @return the lock, thread-safe
	 */
	Lock asLock(LockRequest request);

	/**
	 * Return the lock as a {@link ReadWriteLock}. Its read lock is {@link #asLock} of a
	 * shared request, and its write lock is {@link #asLock} of an exclusive request. A
	 * thread that has the write lock may take the read lock, too, and remains the only
	 * holder until it has unlocked both. A thread that has only the read lock cannot take
	 * the write lock, because it would wait for itself. It gets an
	 * {@link IllegalStateException} at once.
	 * @param request which lock to take, and how; the request must not be shared, and
	 * must not have a limit
	 * @return the lock, thread-safe
	 */
	ReadWriteLock asReadWriteLock(LockRequest request);

}
