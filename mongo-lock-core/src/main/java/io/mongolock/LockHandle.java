package io.mongolock;

import java.time.Duration;
import java.util.Optional;

/**
 * The handle of a lock that was granted. Any thread may use the handle, because a lock is
 * not bound to a thread. Thread-safe.
 * <p>
 * A lock is a lease. Between {@link #isHeld()} and your next step, the process may stand
 * still for longer than the margin. If overlap must be impossible, let your write check
 * the {@link #fence()}.
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * The key of the lock.
	 * @return the key
	 */
	String key();

	/**
	 * The number of this hold. Each hold of a key has a higher number than all earlier
	 * holds, also after releases, hand-overs, take-overs and restarts.
	 * @return the fence, below 2^53
	 */
	long fence();

	/**
	 * Whether the lock is guaranteed to be held now. After this method has returned
	 * {@code false}, it never returns {@code true} again.
	 * @return {@code true} until the margin of the lease begins, the store refuses a
	 * renewal, or the lock is released
	 */
	boolean isHeld();

	/**
	 * Check that the lock is guaranteed to be held now.
	 * @throws LockLostException if the lock is not guaranteed to be held
	 * @throws IllegalStateException if this handle was closed
	 */
	void assertHeld();

	/**
	 * How long the lock is guaranteed to be held if it is not renewed any more.
	 * @return the time, zero if the lock is not held
	 */
	Duration remaining();

	/**
	 * Whether the holder has been asked to release the lock. The client looks for such
	 * requests after renewals of the lease. The lock is not taken away, so the holder
	 * decides what to do.
	 * @return the last request, empty if there was none
	 * @see LockOperations#requestRelease
	 */
	default Optional<ReleaseRequest> releaseRequested() {
		return Optional.empty();
	}

	/**
	 * Show callers that wait a note about the work of the holder. The next automatic
	 * renewal stores the note, and then {@link LockHolder#note} shows it. The note ends
	 * with the hold, but if this client keeps the lease, the stored note stays until the
	 * first renewal of the next holder. If the lease is not renewed, this method has no
	 * effect.
	 * @param note a short text, which is cut off after {@value LockHolder#MAX_NOTE}
	 * characters
	 */
	default void note(String note) {
	}

	/**
	 * Renew the lease now, with one request to the store.
	 * @throws LockLostException if the lock is no longer held
	 * @throws LockStoreException if the store could not be asked; the lock is then held
	 * for as long as before
	 * @throws IllegalStateException if this handle was closed
	 */
	void renew();

	/**
	 * Release the lock. Only the first call has an effect. If the store fails, the
	 * failure is logged and not thrown, and the lease runs out by itself.
	 * <p>
	 * If the lock was acquired inside a transaction, or if this method is called inside a
	 * transaction, the lock is released when the transaction has ended. If the lock is
	 * lost before the commit, the commit is refused. If it is unknown whether the
	 * transaction was committed, the lease runs out.
	 * @throws LockLostException if the lock was lost before, unless the request says
	 * {@link OnLost#IGNORE}; inside a transaction, the commit throws this exception
	 * instead
	 */
	@Override
	void close();

}
