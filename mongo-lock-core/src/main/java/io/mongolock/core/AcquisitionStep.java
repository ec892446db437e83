package io.mongolock.core;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockPlace;
import io.mongolock.LockStoreException;

/**
 * The next thing to do for a {@link LockAcquisition}.
 */
public sealed interface AcquisitionStep {

	/**
	 * Whether the token has to be cleaned up now.
	 * @return whether a request may still be executed, or was granted after the end of
	 * the attempt
	 */
	default boolean cleansUp() {
		return false;
	}

	/**
	 * Ask the store, unless {@link LockAcquisition#send} says otherwise.
	 */
	record Ask() implements AcquisitionStep {

	}

	/**
	 * Wait for the next event.
	 *
	 * @param nanos how long to wait before {@link LockAcquisition#timer}
	 * @param taken the place in the queue if it was just taken
	 */
	record Wait(long nanos, @Nullable LockPlace taken) implements AcquisitionStep {

		Wait(long nanos) {
			this(nanos, null);
		}

	}

	/**
	 * The attempt ends with this step.
	 */
	sealed interface LastStep extends AcquisitionStep {

	}

	/**
	 * The lock is held.
	 *
	 * @param held the lock
	 * @param lapsed the holders whose leases had run out
	 * @param handedOver whether another attempt of this JVM handed the lock over
	 */
	record Granted(HeldLock held, List<LockHolder> lapsed, boolean handedOver) implements LastStep {

		Granted(HeldLock held, List<LockHolder> lapsed) {
			this(held, lapsed, false);
		}

	}

	/**
	 * A lock that was handed over in this JVM was lost before any work under it. The
	 * attempt goes on at the end of the queue.
	 *
	 * @param unwanted the lock that was handed over and must be released
	 * @param next what to do next
	 */
	record LostOnTheWay(HeldLock unwanted, AcquisitionStep next) implements AcquisitionStep {

	}

	/**
	 * Others hold the lock, and the attempt waits no longer.
	 *
	 * @param holders the holders
	 * @param cleansUp whether the token has to be cleaned up
	 * @param reason why it waits no longer
	 */
	record Denied(List<LockHolder> holders, boolean cleansUp, Reason reason) implements LastStep {

		/**
		 * Why an attempt waits no longer.
		 */
		public enum Reason {

			/** It wanted no wait. */
			NO_WAIT,

			/** Its wait timeout is over. */
			TIMEOUT,

			/** The queue has no place left. */
			QUEUE_FULL,

			/** It waited in a deadlock, and its client ended the wait. */
			DEADLOCK

		}

	}

	/**
	 * The wait is over or useless, and the store did not say who holds the lock.
	 *
	 * @param failure how the store failed
	 * @param cleansUp whether the token has to be cleaned up
	 */
	record Failed(LockStoreException failure, boolean cleansUp) implements LastStep {

	}

	/**
	 * The caller no longer wants the lock.
	 *
	 * @param cleansUp whether the token has to be cleaned up
	 * @param unwanted the lock that was handed over at the same moment and must be
	 * released
	 */
	record Cancelled(boolean cleansUp, @Nullable HeldLock unwanted) implements LastStep {

	}

	/**
	 * The attempt had ended before the event.
	 *
	 * @param cleansUp whether the token has to be cleaned up, because the last request
	 * was answered only now
	 */
	record TooLate(boolean cleansUp) implements AcquisitionStep {

	}

	/**
	 * The attempt had ended before it was granted, so the token has to be released at
	 * once.
	 */
	record GrantedTooLate() implements AcquisitionStep {

		@Override
		public boolean cleansUp() {
			return true;
		}

	}

}
