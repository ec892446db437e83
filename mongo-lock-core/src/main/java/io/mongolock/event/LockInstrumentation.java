package io.mongolock.event;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;

/**
 * A listener that measures. Unlike other listeners, it is called on the threads that ask,
 * release and renew, before they go on. So no event is dropped. The library calls only
 * the methods that this interface adds. An attempt is an object, and a held lock is a
 * read-only handle. From its beginning to its end, each of them is equal only to itself.
 * Implementations must neither block nor throw, and must be thread-safe.
 */
public interface LockInstrumentation extends LockListener {

	/**
	 * An attempt begins, on the thread that wants the lock.
	 */
	default void attempting(Object attempt, LockRequest request) {
	}

	/**
	 * An attempt asks the store, on the current thread.
	 * @return the scope, which the same thread closes after the answer
	 */
	default Scope asking(Object attempt) {
		return Scope.NONE;
	}

	/**
	 * An attempt has to wait. May be called again.
	 */
	default void queued(Object attempt) {
	}

	/**
	 * An attempt that waits is woken, because it may be its turn.
	 */
	default void woken(Object attempt) {
	}

	/**
	 * An attempt was granted; {@link #attempted} follows.
	 */
	default void granted(Object attempt, LockRequest request, LockHandle handle) {
	}

	/**
	 * The store granted a lock or renewed leases, and a majority of its servers has
	 * confirmed that.
	 */
	default void confirmed() {
	}

	/**
	 * Attempts wait for each other, as {@link LockListener#onDeadlock} says.
	 */
	default void deadlocked() {
	}

	/**
	 * An attempt ended.
	 * @param failure the failure of the store, {@code null} if the attempt ended
	 * otherwise
	 */
	default void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
			@Nullable LockStoreException failure, Duration waited) {
	}

	/**
	 * A lock was handed over within this JVM instead of being released.
	 * @param request the request of the new holder
	 */
	default void handedOver(LockRequest request, Duration took) {
	}

	/**
	 * An attempt took an idle lease of this application, without a request to the store.
	 */
	default void tookIdle(LockRequest request) {
	}

	/**
	 * Another application wants a lock whose lease is idle here, or may become idle next.
	 * @param request the request of the last holder
	 */
	default void recalled(LockRequest request) {
	}

	/**
	 * An attempt that was woken to ask again has its answer.
	 */
	default void wokenUp(LockRequest request, boolean granted, Duration took) {
	}

	/**
	 * A caller begins to work under a lock, on the current thread.
	 * @return the scope, which the same thread closes at the end of the work
	 */
	default Scope working(LockHandle handle) {
		return Scope.NONE;
	}

	/**
	 * A lease was renewed.
	 */
	default void renewed(LockHandle handle) {
	}

	/**
	 * A lock was lost. If the loss is noticed at the release, {@link #ended} follows.
	 */
	default void lost(LockHandle handle, LockRequest request, LossReason reason) {
	}

	/**
	 * A lock was granted after the lease of an earlier holder had run out.
	 */
	default void takenOver(LockRequest request) {
	}

	/**
	 * A holder released a lock.
	 */
	default void ended(LockHandle handle, LockRequest request, ReleaseOutcome outcome, Duration heldFor) {
	}

	/**
	 * A request to renew leases ended.
	 */
	default void renewed(int leases, boolean answered, Duration took) {
	}

	/**
	 * A request to renew a lease is about to be sent.
	 * @param share how much has passed of the time in which the holder may rely on the
	 * lease: 0 right after a renewal, 1 when the lock is lost
	 */
	default void leaseUsed(double share) {
	}

	/**
	 * An answer contains the time of the store.
	 * @param ahead about how far the store's clock is ahead of the wall clock of this
	 * machine, negative if it is behind
	 */
	default void storeClock(Duration ahead) {
	}

	/**
	 * As {@link LockListener#onServerClockOff}.
	 */
	default void serverClock(String server, Duration offset) {
	}

	/**
	 * A time on one thread. The innermost scope is closed first.
	 */
	interface Scope extends AutoCloseable {

		/** A scope without effect. */
		Scope NONE = () -> {
		};

		@Override
		void close();

	}

	/**
	 * How an attempt ended.
	 */
	enum AttemptOutcome {

		/** The lock was granted. */
		GRANTED,

		/** Others held the lock, and the attempt was not to wait. */
		DENIED,

		/** Others held the lock until the wait was over. */
		TIMEOUT,

		/** Others held the lock, and the queue was full. */
		QUEUE_FULL,

		/** The attempt was part of a deadlock, and {@code on-deadlock=fail} ended it. */
		DEADLOCK,

		/** Others held the lock, and the caller goes on without it. */
		SKIPPED,

		/** The store failed. */
		FAILED,

		/** The thread that wanted the lock was interrupted. */
		INTERRUPTED,

		/** No caller wanted the lock any more, or the client stopped. */
		CANCELLED

	}

}
