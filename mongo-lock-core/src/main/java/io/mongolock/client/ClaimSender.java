package io.mongolock.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockAcquisition;
import io.mongolock.event.AttemptEvents;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.KeyText;
import io.mongolock.store.LockStore;

/**
 * Asks the store for the driver of a {@link LockAcquisition}, and cleans up after the
 * acquisition. Thread-safe.
 */
final class ClaimSender {

	private final LockStore store;

	private final LockClock clock;

	private final ClientLifecycle phase;

	private final HoldRegistry holds;

	private final OrphanReleaser orphans;

	private final AttemptEvents events;

	ClaimSender(LockStore store, LockClock clock, ClientLifecycle phase, HoldRegistry holds, OrphanReleaser orphans,
			AttemptEvents events) {
		this.store = store;
		this.clock = clock;
		this.phase = phase;
		this.holds = holds;
		this.orphans = orphans;
		this.events = events;
	}

	/**
	 * Ask the store once.
	 * @param woken when the acquisition was woken to ask, {@code null} if it asks of its
	 * own accord
	 * @param brief whether to wait for the answer only for a moment; without an answer,
	 * the acquisition asks again
	 * @return the next step; if the answer comes too late, any clean-up has begun
	 * @throws io.mongolock.LockUnavailableException if the client stops
	 * @throws IllegalArgumentException if the store refuses to send the request
	 */
	AcquisitionStep ask(LockAcquisition acquisition, @Nullable ClockReading woken, boolean brief) {
		if (!this.phase.beginClaim()) {
			throw stopped(acquisition);
		}
		try {
			ClockReading requested = now();
			Claim claim = acquisition.send(requested);
			AcquisitionStep step = (claim != null) ? settle(acquisition, request(acquisition, claim, requested, brief))
					: new TooLate(false);
			if (woken != null) {
				this.events.wokenUp(acquisition.attempt().request(), step instanceof Granted, woken);
			}
			return step;
		}
		finally {
			this.phase.endRequest();
		}
	}

	/**
	 * Begin an attempt.
	 */
	AcquisitionStep begin(LockAcquisition acquisition, LockAcquisition.Caller caller) {
		return settle(acquisition, acquisition.begin(caller, acquisition.attempt().begun()));
	}

	/**
	 * Continue an attempt whose turn has come.
	 */
	AcquisitionStep turn(LockAcquisition acquisition) {
		this.events.woken(acquisition);
		return settle(acquisition, acquisition.turn(now()));
	}

	/**
	 * Continue an attempt whose timer has ended.
	 */
	AcquisitionStep timer(LockAcquisition acquisition) {
		return settle(acquisition, acquisition.timer(now()));
	}

	/**
	 * End an attempt that no caller wants any more, unless it has already ended.
	 * @param outcome why no caller wants it
	 */
	boolean cancel(LockAcquisition acquisition, AttemptOutcome outcome) {
		return settle(acquisition, acquisition.cancel(), outcome) instanceof Cancelled;
	}

	private AcquisitionStep settle(LockAcquisition acquisition, AcquisitionStep step) {
		return settle(acquisition, step, AttemptOutcome.CANCELLED);
	}

	// Do all that a step asks for, except asking the store and waiting
	private AcquisitionStep settle(LockAcquisition acquisition, AcquisitionStep step, AttemptOutcome cancelled) {
		if (step instanceof Granted granted) {
			keep(acquisition, granted);
			return step;
		}
		if (step instanceof Ask) {
			return step;
		}
		if (step instanceof LostOnTheWay lost) {
			this.holds.declined(lost.unwanted());
			return settle(acquisition, lost.next(), cancelled);
		}
		this.events.stepped(acquisition, step, cancelled);
		if (step instanceof Cancelled given && given.unwanted() != null) {
			this.holds.declined(given.unwanted());
		}
		if (step instanceof GrantedTooLate) {
			this.orphans.release(acquisition.cleanUp(now()), acquisition.attempt().id(), acquisition.attempt().terms());
		}
		else if (step.cleansUp()) {
			this.orphans.begin(acquisition.cleanUp(now()), acquisition.attempt().id(), acquisition.attempt().terms());
		}
		return step;
	}

	private void keep(LockAcquisition acquisition, Granted granted) {
		try {
			if (!granted.handedOver()) {
				this.holds.granted(granted.held());
			}
			this.events.stepped(acquisition, granted, AttemptOutcome.GRANTED);
		}
		catch (RuntimeException | Error ex) {
			this.holds.takeBack(granted.held(), ex);
			throw ex;
		}
	}

	boolean isRunning() {
		return this.phase.isRunning();
	}

	LockUnavailableException stopped(LockAcquisition acquisition) {
		return acquisition.stopped(now());
	}

	ClockReading now() {
		return ClockReading.of(this.clock);
	}

	private AcquisitionStep request(LockAcquisition acquisition, Claim claim, ClockReading requested, boolean brief) {
		Duration timeout = (brief) ? DividedEnding.TIMEOUT : acquisition.attempt().terms().operationTimeout();
		try {
			return answered(acquisition, send(acquisition, claim, timeout), requested);
		}
		catch (LockStoreException ex) {
			return (brief) ? acquisition.failedFirst(ex, now()) : acquisition.failed(ex, now());
		}
		catch (IllegalArgumentException ex) {
			// The request was refused before it was sent, for example because the key is
			// too long with its prefix
			settle(acquisition, acquisition.failed(failure(acquisition, Outcome.REFUSED, ex), now()));
			throw ex;
		}
		catch (RuntimeException ex) {
			return acquisition.failed(failure(acquisition, Outcome.UNKNOWN, ex), now());
		}
		catch (Error ex) {
			settle(acquisition, acquisition.failed(failure(acquisition, Outcome.UNKNOWN, ex), now()));
			throw ex;
		}
	}

	@SuppressWarnings("try") // the resource is there only to be closed
	private ClaimAnswer send(LockAcquisition acquisition, Claim claim, Duration timeout) {
		try (Scope asking = this.events.asking(acquisition)) {
			return this.store.acquire(claim, timeout);
		}
	}

	private AcquisitionStep answered(LockAcquisition acquisition, ClaimAnswer answer, ClockReading requested) {
		ClockReading answered = now();
		this.events.answered(acquisition, answer, requested, answered);
		return acquisition.answered(answer, answered);
	}

	private static LockStoreException failure(LockAcquisition acquisition, Outcome outcome, Throwable cause) {
		return new LockStoreException(acquisition.attempt().key(), outcome,
				"The store failed to answer the request for lock '" + KeyText.printable(acquisition.attempt().key())
						+ "': " + cause,
				cause);
	}

}
