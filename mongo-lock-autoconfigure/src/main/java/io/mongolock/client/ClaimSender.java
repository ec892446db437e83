package io.mongolock.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockExceptions;
import io.mongolock.event.ClaimEvents;
import io.mongolock.event.LockInstrumentation.ClaimEnd;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.KeyText;
import io.mongolock.store.LockStore;

/**
 * Asks the store for those who run a {@link LockAcquisition}, and cleans up after it.
 * Thread-safe.
 */
final class ClaimSender {

	private final LockStore store;

	private final LockClock clock;

	private final ClientLifecycle lifecycle;

	private final HeldLocks heldLocks;

	private final LockReleaser releaser;

	private final ClaimEvents events;

	ClaimSender(LockStore store, LockClock clock, ClientLifecycle lifecycle, HeldLocks heldLocks, LockReleaser releaser,
			ClaimEvents events) {
		this.store = store;
		this.clock = clock;
		this.lifecycle = lifecycle;
		this.heldLocks = heldLocks;
		this.releaser = releaser;
		this.events = events;
	}

	/**
	 * Ask the store once.
	 * @param acquisition whose turn it is
	 * @param woken when it was woken to ask, unless it asks of its own accord
	 * @return what to do next; what comes too late is settled
	 * @throws io.mongolock.LockUnavailableException if the client stops
	 * @throws IllegalArgumentException if the store refuses to send the request
	 */
	AcquisitionStep ask(LockAcquisition acquisition, @Nullable ClockReading woken) {
		if (!this.lifecycle.beginClaim()) {
			throw LockExceptions.stopped(acquisition.key(), waited(acquisition));
		}
		try {
			ClockReading requested = now();
			AcquisitionStep step = publish(acquisition,
					(acquisition.send(requested)) ? request(acquisition, requested) : new TooLate(false));
			if (woken != null) {
				this.events.wokenUp(acquisition.request(), step instanceof Granted, woken);
			}
			if (step instanceof Wait wait && wait.taken() != null) {
				this.events.waiting(acquisition.request(), wait.taken());
			}
			else if (step instanceof GrantedTooLate) {
				this.releaser.cleanUp(acquisition.cleanUp(now()), acquisition.id(), acquisition.terms());
			}
			else if (step instanceof TooLate) {
				settle(acquisition, step);
			}
			return step;
		}
		finally {
			this.lifecycle.endRequest();
		}
	}

	/**
	 * Begin an attempt.
	 * @param acquisition the attempt
	 * @param caller who runs it
	 * @return what to do next
	 */
	AcquisitionStep begin(LockAcquisition acquisition, LockAcquisition.Caller caller) {
		return publish(acquisition, acquisition.begin(caller, now()));
	}

	/**
	 * The turn of an attempt has come.
	 * @param acquisition the attempt
	 * @return what to do next
	 */
	AcquisitionStep turn(LockAcquisition acquisition) {
		this.events.woken(acquisition);
		return publish(acquisition, acquisition.turn(now()));
	}

	/**
	 * The time of an attempt has come.
	 * @param acquisition the attempt
	 * @return what to do next
	 */
	AcquisitionStep timer(LockAcquisition acquisition) {
		return publish(acquisition, acquisition.timer(now()));
	}

	private AcquisitionStep publish(LockAcquisition acquisition, AcquisitionStep step) {
		if (step instanceof Granted granted) {
			this.heldLocks.publish(acquisition, granted);
		}
		else if (step instanceof Wait) {
			this.events.queued(acquisition);
		}
		return step;
	}

	/**
	 * Clean up after a step if it says so, and publish that the lock was denied.
	 * @param acquisition the attempt
	 * @param step its step
	 */
	void settle(LockAcquisition acquisition, AcquisitionStep step) {
		settle(acquisition, step, ClaimEnd.CANCELLED);
	}

	private void settle(LockAcquisition acquisition, AcquisitionStep step, ClaimEnd unwanted) {
		if (step instanceof Denied denied) {
			this.events.denied(acquisition, denied.holders());
		}
		else if (step instanceof Failed failed) {
			this.events.failed(acquisition, failed.failure());
		}
		else if (step instanceof Cancelled) {
			this.events.ended(acquisition, unwanted);
		}
		if (step instanceof Cancelled cancelled && cancelled.unwanted() != null) {
			this.heldLocks.pass(cancelled.unwanted());
		}
		if (step.cleansUp()) {
			this.releaser.beginCleanUp(acquisition.cleanUp(now()), acquisition.id(), acquisition.terms());
		}
	}

	/**
	 * End an attempt that nobody wants any more, unless it has ended.
	 * @param acquisition the attempt
	 * @param end why nobody does
	 */
	void cancel(LockAcquisition acquisition, ClaimEnd end) {
		settle(acquisition, acquisition.cancel(), end);
	}

	boolean isRunning() {
		return this.lifecycle.isRunning();
	}

	Duration waited(LockAcquisition acquisition) {
		return Duration.ofNanos(now().nanos() - acquisition.begun().nanos());
	}

	ClockReading now() {
		return ClockReading.of(this.clock);
	}

	private AcquisitionStep request(LockAcquisition acquisition, ClockReading requested) {
		try {
			return answered(acquisition, send(acquisition), requested);
		}
		catch (LockStoreException ex) {
			return acquisition.failed(ex, now());
		}
		catch (IllegalArgumentException ex) {
			// Refused before anything was sent, as a key too long with its prefix
			giveUp(acquisition, failure(acquisition, Outcome.REFUSED, ex));
			throw ex;
		}
		catch (RuntimeException ex) {
			return acquisition.failed(failure(acquisition, Outcome.UNKNOWN, ex), now());
		}
		catch (Error ex) {
			giveUp(acquisition, failure(acquisition, Outcome.UNKNOWN, ex));
			throw ex;
		}
	}

	@SuppressWarnings("try") // closing is what the resource is for
	private ClaimAnswer send(LockAcquisition acquisition) {
		try (Scope asking = this.events.asking(acquisition)) {
			return this.store.acquire(acquisition.claim(), acquisition.terms().operationTimeout());
		}
	}

	private AcquisitionStep answered(LockAcquisition acquisition, ClaimAnswer answer, ClockReading requested) {
		ClockReading answered = now();
		this.events.answered(acquisition, answer, requested, answered);
		return acquisition.answered(answer, answered);
	}

	private void giveUp(LockAcquisition acquisition, LockStoreException failure) {
		acquisition.cancel();
		settle(acquisition, acquisition.failed(failure, now()));
	}

	private static LockStoreException failure(LockAcquisition acquisition, Outcome outcome, Throwable cause) {
		return new LockStoreException(acquisition.key(), outcome,
				"The store failed on lock '" + KeyText.printable(acquisition.key()) + "': " + cause, cause);
	}

}
