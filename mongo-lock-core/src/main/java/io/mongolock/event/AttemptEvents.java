package io.mongolock.event;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.ClaimAnswer;

/**
 * Reports what happens to attempts, up to their grant. Thread-safe. None of the methods
 * blocks.
 */
public final class AttemptEvents {

	private final Listeners listeners;

	private final Instruments instruments;

	private final LockLog log;

	private final LockClock clock;

	private final StoreClockStepWatch storeClock;

	private final LimitWatch limits = new LimitWatch();

	AttemptEvents(Listeners listeners, Instruments instruments, LockLog log, LockClock clock,
			StoreClockStepWatch storeClock) {
		this.listeners = listeners;
		this.instruments = instruments;
		this.log = log;
		this.clock = clock;
		this.storeClock = storeClock;
	}

	/**
	 * An attempt begins, on the thread that wants the lock.
	 */
	public void attempting(LockAcquisition acquisition) {
		this.instruments.measure((instrument) -> instrument.attempting(acquisition, acquisition.attempt().request()));
	}

	/**
	 * An attempt asks the store, on the current thread.
	 */
	public Scope asking(LockAcquisition acquisition) {
		return this.instruments.open((instrument) -> instrument.asking(acquisition));
	}

	/**
	 * The store answered a claim.
	 */
	public void answered(LockAcquisition acquisition, ClaimAnswer answer, ClockReading requested,
			ClockReading answered) {
		this.storeClock.observe(answer.lock().now(), requested, answered, acquisition.attempt().terms().margin());
		this.limits.observe(acquisition.attempt().request(), acquisition.attempt().limit(), answer.lock());
	}

	/**
	 * An attempt that waits is woken.
	 */
	public void woken(LockAcquisition acquisition) {
		this.instruments.measure((instrument) -> instrument.woken(acquisition));
	}

	/**
	 * An attempt that was woken to ask again has its answer.
	 */
	public void wokenUp(LockRequest request, boolean granted, ClockReading woken) {
		this.instruments.measure((instrument) -> instrument.wokenUp(request, granted, this.instruments.since(woken)));
	}

	/**
	 * An attempt waits or ends by this step.
	 * @param cancelled the outcome if no caller wants the attempt any more
	 */
	public void stepped(LockAcquisition acquisition, AcquisitionStep step, AttemptOutcome cancelled) {
		if (step instanceof Granted granted) {
			acquired(acquisition, granted.held(), granted.lapsed());
		}
		else if (step instanceof Wait wait) {
			waits(acquisition, wait.taken());
		}
		else if (step instanceof Denied denied) {
			denied(acquisition, denied);
		}
		else if (step instanceof Failed failed) {
			this.instruments.attempted(acquisition, AttemptOutcome.FAILED, failed.failure());
		}
		else if (step instanceof Cancelled) {
			this.instruments.attempted(acquisition, cancelled, null);
		}
	}

	private void acquired(LockAcquisition acquisition, HeldLock heldLock, List<LockHolder> lapsed) {
		this.log.acquired(heldLock);
		this.instruments
			.measure((instrument) -> instrument.granted(acquisition, heldLock.request(), observe(heldLock)));
		this.instruments.attempted(acquisition, AttemptOutcome.GRANTED, null);
		if (heldLock.wasIdle()) {
			this.instruments.measure((instrument) -> instrument.tookIdle(heldLock.request()));
		}
		else if (heldLock.isHandedOver()) {
			this.instruments.measure((instrument) -> instrument.handedOver(heldLock.request(),
					heldLock.heldFor(ClockReading.of(this.clock))));
		}
		else {
			this.instruments.measure(LockInstrumentation::confirmed);
		}
		if (this.listeners.hearGrantsAndReleases()) {
			LockHandle handle = observe(heldLock);
			this.listeners.publishGrantOrRelease((listener) -> listener.onAcquired(handle));
		}
		lapsed.forEach((previous) -> takenOver(heldLock, previous));
	}

	private void takenOver(HeldLock heldLock, LockHolder previous) {
		this.log.takenOver(heldLock, previous);
		LockHandle handle = observe(heldLock);
		this.listeners.publish((listener) -> listener.onTakenOver(handle, previous));
		this.instruments.measure((instrument) -> instrument.takenOver(heldLock.request()));
	}

	private void waits(LockAcquisition acquisition, @Nullable LockPlace taken) {
		this.instruments.measure((instrument) -> instrument.queued(acquisition));
		if (taken != null) {
			this.listeners.publish((listener) -> listener.onWaiting(acquisition.attempt().request(), taken));
		}
	}

	private void denied(LockAcquisition acquisition, Denied denied) {
		List<LockHolder> holders = denied.holders();
		LockRequest request = acquisition.attempt().request();
		boolean skips = request.onUnavailable() == OnUnavailable.SKIP;
		Duration waited = this.instruments.since(acquisition.attempt().begun());
		this.instruments.attempted(acquisition, (skips) ? AttemptOutcome.SKIPPED : outcome(denied.reason()), null);
		if (skips) {
			this.listeners.publish((listener) -> listener.onSkipped(request, holders, waited));
			this.log.skipped(request, holders);
		}
		else {
			this.listeners.publish((listener) -> listener.onUnavailable(request, holders, waited));
		}
	}

	private static AttemptOutcome outcome(Denied.Reason reason) {
		return switch (reason) {
			case NO_WAIT -> AttemptOutcome.DENIED;
			case TIMEOUT -> AttemptOutcome.TIMEOUT;
			case QUEUE_FULL -> AttemptOutcome.QUEUE_FULL;
			case DEADLOCK -> AttemptOutcome.DEADLOCK;
		};
	}

	private LockHandle observe(HeldLock heldLock) {
		return new ReadOnlyLockHandle(heldLock.lease(), this.clock);
	}

}
