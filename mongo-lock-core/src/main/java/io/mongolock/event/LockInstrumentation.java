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
 * A listener that measures: unlike others it is called on the threads that ask, release
 * and renew, before they go on, so that no event is dropped, and hears nothing else. An
 * attempt is an object, and a lock that is held a read-only handle, each equal only to
 * itself from its begin to its end. Implementations must neither block nor throw, and be
 * thread-safe.
 */
public interface LockInstrumentation extends LockListener {

	/**
	 * An attempt begins, on the thread that wants the lock.
	 */
	default void attempting(Object attempt, LockRequest request) {
	}

	/**
	 * An attempt asks the store, on the current thread.
	 * @return is closed on the same thread after the answer
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
	 * The store granted a lock or kept leases, and a majority of its servers has that.
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
	 * @param failure what the store failed with, {@code null} if it ended otherwise
	 */
	default void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
			@Nullable LockStoreException failure, Duration waited) {
	}

	/**
	 * A lock was handed over within this JVM instead of being released.
	 * @param request what the one asked for who holds it now
	 */
	default void handedOver(LockRequest request, Duration took) {
	}

	/**
	 * An attempt took an idle lease of this application, with no request.
	 */
	default void tookIdle(LockRequest request) {
	}

	/**
	 * Another application wants a lock whose lease is idle here, or may be next.
	 * @param request what its last holder asked for
	 */
	default void recalled(LockRequest request) {
	}

	/**
	 * An attempt that was woken to ask again has its answer.
	 */
	default void wokenUp(LockRequest request, boolean granted, Duration took) {
	}

	/**
	 * Somebody begins to work under a lock, on the current thread.
	 * @return is closed on the same thread at the end of the work
	 */
	default Scope working(LockHandle handle) {
		return Scope.NONE;
	}

	/**
	 * A lease began anew.
	 */
	default void renewed(LockHandle handle) {
	}

	/**
	 * A lock was lost; if that is noticed when it is released, {@link #ended} follows.
	 */
	default void lost(LockHandle handle, LockRequest request, LossReason reason) {
	}

	/**
	 * A lock whose earlier holder's lease had run out was granted.
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
	 * @param share how much of the time that its holder may rely on the lease has passed:
	 * 0 right after a renewal, 1 when the lock is lost
	 */
	default void leaseUsed(double share) {
	}

	/**
	 * The store's answer has its time.
	 * @param ahead how far it is ahead of the wall clock of this machine, about; negative
	 * if behind
	 */
	default void storeClock(Duration ahead) {
	}

	/**
	 * As {@link LockListener#onServerClockOff}.
	 */
	default void serverClock(String server, Duration offset) {
	}

	/**
	 * A time on one thread, such scopes being closed innermost first.
	 */
	interface Scope extends AutoCloseable {

		/** Ends nothing. */
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

		/** Others held it, and nobody wanted to wait. */
		DENIED,

		/** Others held it until the wait was over. */
		TIMEOUT,

		/** Others held it, and so many waited that the queue was full. */
		QUEUE_FULL,

		/** It was part of a deadlock, which {@code on-deadlock=fail} ended. */
		DEADLOCK,

		/** Others held it, and the caller goes on without it. */
		SKIPPED,

		/** The store failed. */
		FAILED,

		/** The thread that wanted it was interrupted. */
		INTERRUPTED,

		/** Nobody wanted it any more, or the client stopped. */
		CANCELLED

	}

}
