package io.mongolock;

import java.time.Duration;
import java.util.Optional;

/**
 * The handle on a lease: its owner holds the lock, on whatever thread. Thread-safe.
 * <p>
 * A lock of this kind is a lease. Between {@link #isHeld()} and the act that follows it
 * the process may stand still for longer than the margin; where overlap must be
 * impossible, let the guarded write check the {@link #fence()}.
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * The key of the lock.
	 * @return the key
	 */
	String key();

	/**
	 * The number of this hold, strictly rising per key across releases, hand-overs,
	 * take-overs and restarts.
	 * @return the fence, below 2^53
	 */
	long fence();

	/**
	 * Whether the lock is guaranteed held now. Once {@code false}, never {@code true}
	 * again.
	 * @return {@code true} until the lease, less its margin, has run out, was refused or
	 * released
	 */
	boolean isHeld();

	/**
	 * Check that the lock is guaranteed held now.
	 * @throws LockLostException if it is not
	 * @throws IllegalStateException if this handle was closed
	 */
	void assertHeld();

	/**
	 * How long the lock is guaranteed held if it is not renewed any more.
	 * @return the time, zero once it is not held
	 */
	Duration remaining();

	/**
	 * Whether somebody asked to release the lock, as the last renewal said. It is for the
	 * holder to decide: nothing is taken away.
	 * @return the last request, empty if there was none
	 * @see LockOperations#requestRelease
	 */
	default Optional<ReleaseRequest> releaseRequested() {
		return Optional.empty();
	}

	/**
	 * Say what the holder does, for those who wait: {@link LockHolder#note} shows it,
	 * from the next automatic renewal on, with which it is written. It ends with the
	 * hold: if this client keeps the lease, with the next renewal. Has no effect on a
	 * lock whose lease is not renewed.
	 * @param note a short text; what is longer than {@value LockHolder#MAX_NOTE}
	 * characters is cut off
	 */
	default void note(String note) {
	}

	/**
	 * Renew the lease now, with one request to the store.
	 * @throws LockLostException if it is no longer held
	 * @throws LockStoreException if the store could not be asked; the lock is then held
	 * for as long as before
	 * @throws IllegalStateException if this handle was closed
	 */
	void renew();

	/**
	 * Release the lock. Only the first call has an effect. Trouble with the store is
	 * logged and not thrown: the lease then runs out by itself.
	 * <p>
	 * Closed inside a transaction, wherever it was acquired, or acquired inside one, the
	 * lock is released when that transaction has ended: a commit is refused once the lock
	 * is lost, and if it is unknown whether it was committed, the lease runs out.
	 * @throws LockLostException if the lock had been lost before, unless the request said
	 * {@link OnLost#IGNORE}; inside a transaction its commit throws that instead
	 */
	@Override
	void close();

}
