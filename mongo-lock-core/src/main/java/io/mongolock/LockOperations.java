package io.mongolock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

/**
 * Locks without an annotation. Thread-safe.
 * <p>
 * All methods throw {@link IllegalArgumentException} for settings that contradict each
 * other, {@link LockStoreException} if the store could not be asked within the wait, and
 * {@link LockAttemptAbortedException}, which is a {@link LockUnavailableException}, if
 * the client stops meanwhile or has stopped.
 */
public interface LockOperations {

	/**
	 * Run the callback under the lock. Called again on the same thread from within the
	 * callback for the same key, it runs under the lock already held, without a request
	 * to the store. Inside a transaction that was begun before, the lock is released when
	 * that has ended, and a commit is refused once the lock is lost; if it is unknown
	 * whether it was committed, the lease is left to run out.
	 * @param <T> what the callback returns
	 * @param <E> what the callback throws
	 * @param request which lock, and how
	 * @param callback the work
	 * @return what the callback returned
	 * @throws E what the callback threw; a lost lock is then added as suppressed
	 * @throws LockUnavailableException if the lock was still held by another after the
	 * wait timeout; a {@link LockAttemptAbortedException} if the thread was interrupted
	 * meanwhile
	 * @throws LockLostException after the callback, if the lock was lost while it ran and
	 * the request does not say {@link OnLost#IGNORE}; instead of the callback, if the
	 * lock was lost before that began
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E;

	/**
	 * Run the callback under several locks or not at all. Each is asked for while those
	 * before it are held, and released before them. Whatever the order of the list, they
	 * are asked for in the order of their keys, so that no two of such calls wait for
	 * each other. The wait of each counts from the beginning of the call. All else is as
	 * with {@link #execute(LockRequest, LockCallback)}.
	 * @param <T> what the callback returns
	 * @param <E> what the callback throws
	 * @param requests which locks, and how: 1 to 512; of those with the same key the
	 * first counts
	 * @param callback the work; its handle is the lock of the last key, and
	 * {@link LockContext#find} has the others
	 * @return what the callback returned
	 * @throws E what the callback threw; a lost lock is then added as suppressed
	 * @throws IllegalArgumentException if there is no request, or two with the same key
	 * have another mode or limit: one call cannot hold a lock in both ways
	 * @throws LockUnavailableException if one of the locks was still held by another
	 * after its wait
	 * @throws LockLostException if one of them was lost meanwhile, also while another was
	 * waited for
	 * @throws UnsupportedOperationException if these operations take one lock at a time
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(List<LockRequest> requests,
			LockCallback<T, E> callback) throws E {
		throw new UnsupportedOperationException(
				getClass().getName() + " takes only one lock at a time. To take several locks, let it implement "
						+ "execute(List, LockCallback)");
	}

	/**
	 * Acquire the lock, waiting up to the wait timeout. The handle is not bound to the
	 * thread; from within {@link #execute} for the same key it shares the lock held
	 * there. Inside a transaction the lock is kept until that has ended, also if the
	 * handle is closed before, and further attempts at the same key in that transaction
	 * share it.
	 * @param request which lock, and how
	 * @return the handle, to be closed by the caller
	 * @throws LockUnavailableException if the lock was still held by another after the
	 * wait timeout; a {@link LockAttemptAbortedException} if the thread was interrupted
	 * meanwhile
	 */
	LockHandle acquire(LockRequest request);

	/**
	 * Acquire the lock if it is free, or becomes so within the wait timeout of the
	 * request or of its name. The wait timeout for all locks does not count: as with
	 * {@link OnUnavailable#SKIP}, who asks goes on without the lock.
	 * @param request which lock, and how
	 * @return the handle, to be closed by the caller, or empty if the lock was still held
	 * by another after the wait
	 * @throws LockAttemptAbortedException if the thread was interrupted while waiting
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire the lock without blocking the caller. A future that is completed by anyone
	 * else first, for instance cancelled or by {@code orTimeout}, ends the attempt, and a
	 * lock that is granted after that is released at once. Work that is attached to the
	 * future runs on a thread of its own and may block; it has nothing of what the
	 * calling thread carries. Where it needs that, or a handle would have to be passed
	 * along until work ends that runs elsewhere, {@link #executeAsync} is simpler.
	 * @param request which lock, and how
	 * @return completes with the handle, to be closed by the caller, or with the
	 * exception that {@link #acquire} would throw, at the latest one operation timeout
	 * after the wait timeout, or three if the lock lingers
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * Acquire the lock without blocking the caller, begin the work, hold the lock until
	 * its stage has ended, and release it then.
	 * <p>
	 * Cancelling the returned future, or completing it otherwise, for instance by
	 * {@code orTimeout}, ends the attempt, and work that has not begun never begins. Work
	 * that has begun goes on under the lock, which is released when its stage has ended:
	 * nobody else is granted it before. To free the lock earlier, end that stage, which
	 * says that the work needs it no longer. {@link OnLost#INTERRUPT} interrupts the
	 * thread that runs the callback, and later cancels the stage, if that is a
	 * {@link java.util.concurrent.Future Future}, as a {@link CompletableFuture} is.
	 * @param <T> what the work results in
	 * @param request which lock, and how
	 * @param callback begins the work; runs under the lock, on a thread of its own with
	 * what the calling thread carries, for example the MDC and the security context, or,
	 * where the calling thread holds the lock already, on that
	 * @return completes when the lock is released, with the result of the stage, with
	 * what it or the callback failed with (a lost lock is then added as suppressed), or
	 * with the exception that {@link #acquire} would throw; with
	 * {@link LockLostException} if the lock was lost meanwhile and the request does not
	 * say {@link OnLost#IGNORE}
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		return executeAsync(List.of(request), callback);
	}

	/**
	 * Begin the work under several locks or not at all, as
	 * {@link #execute(List, LockCallback)} takes them, without blocking the caller. All
	 * else is as with {@link #executeAsync(LockRequest, LockCallback)}; the work begins
	 * on the calling thread if that holds all of the locks already.
	 * @param <T> what the work results in
	 * @param requests which locks, and how: 1 to 512; of those with the same key the
	 * first counts
	 * @param callback begins the work; its handle is the lock of the last key, and
	 * {@link LockContext#find} has the others
	 * @return completes when all locks are released
	 * @throws IllegalArgumentException as {@link #execute(List, LockCallback)} does
	 * @throws UnsupportedOperationException if these operations take one lock at a time
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(List<LockRequest> requests,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		throw new UnsupportedOperationException(
				getClass().getName() + " takes only one lock at a time. To take several locks, let it implement "
						+ "executeAsync(List, LockCallback)");
	}

	/**
	 * Ask the holders of a lock, in whatever instance, to release it soon. Nothing is
	 * taken away: the holder hears of it after its next renewal, by
	 * {@link LockHandle#releaseRequested()} and {@link LockListener#onReleaseRequested},
	 * and decides. Then it is not handed over to others of its JVM either. The request
	 * ends with the hold. A holder whose lease is not renewed does not hear of it.
	 * @param key the key
	 * @param reason why, for diagnostics; 1 to {@value ReleaseRequest#MAX_REASON}
	 * characters
	 * @return how many holders were asked, zero if the lock is free
	 */
	int requestRelease(String key, String reason);

	/**
	 * As {@link #requestRelease(String, String)}, on behalf of somebody.
	 * @param key the key
	 * @param reason why
	 * @param by who asks, for example the name of a user; the holder is shown it
	 * @return how many holders were asked, zero if the lock is free
	 */
	int requestRelease(String key, String reason, String by);

	/**
	 * Why an attempt at a lock would have to wait now, with one request to the store.
	 * What it says may be over, and is never a proof: to do something if the lock is
	 * free, use {@link #tryAcquire}.
	 * @param key the key
	 * @return who holds the lock and who waits for it
	 */
	LockExplanation explain(String key);

	/**
	 * The lock as {@link Lock}, for code that knows that interface. What the thread
	 * locked, that thread unlocks, as often as it locked it, and by the same object: each
	 * call of this method makes one that knows nothing of others, so keep it in a field.
	 * Waiting is up to the methods of {@link Lock}; the wait timeout does not count.
	 * <p>
	 * {@link Lock#lock()} and {@link Lock#lockInterruptibly()} wait without end, also
	 * while the store cannot be asked, and keep their place in the queue meanwhile,
	 * except that an interrupt costs {@link Lock#lock()} its place. They end without the
	 * lock by a {@link LockStoreException} if the store refuses the claim, by a
	 * {@link LockAttemptAbortedException} if the client stops, and by a
	 * {@link LockUnavailableException} if the queue is full, or, of
	 * {@link Lock#lockInterruptibly()}, if {@code mongo-lock.on-deadlock=fail} ends the
	 * wait. {@link Lock#tryLock()} asks once.
	 * {@link Lock#tryLock(long, java.util.concurrent.TimeUnit)} waits in whole
	 * milliseconds, rounded up, and throws a {@link LockStoreException} if the store
	 * could not be asked meanwhile.
	 * <p>
	 * If the lock was lost, {@link Lock#unlock()} throws {@link LockLostException} unless
	 * the request says {@link OnLost#IGNORE}, as {@link #execute} does at its end, and
	 * the thread holds it no longer; locking it once more before that throws as well. As
	 * nothing else is bound to the thread, {@link OnLost#INTERRUPT} is as
	 * {@link OnLost#FAIL}, and {@link #execute} between lock and unlock does not share
	 * the lock; within {@link #execute} the lock is shared. {@link Lock#newCondition()}
	 * is not supported.
	 * @param request which lock, and how
	 * @return the lock, thread-safe
	 */
	Lock asLock(LockRequest request);

	/**
	 * The lock as {@link ReadWriteLock}: {@link #asLock} of a shared request to read, and
	 * of an exclusive one to write. A writer may lock to read as well, and remains alone
	 * until both are unlocked; a reader cannot lock to write, which is an
	 * {@link IllegalStateException} at once, because it would wait for itself.
	 * @param request which lock, and how; neither shared nor with a limit
	 * @return the lock, thread-safe
	 */
	ReadWriteLock asReadWriteLock(LockRequest request);

}
