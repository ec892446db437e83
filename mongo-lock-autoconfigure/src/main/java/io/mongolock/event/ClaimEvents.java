package io.mongolock.event;

import java.time.Duration;
import java.util.List;

import io.mongolock.LockHolder;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.OnUnavailable;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockAcquisition;
import io.mongolock.event.LockInstrumentation.ClaimEnd;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.ClaimAnswer;

/**
 * Says what happens to claims until they are granted, which
 * {@link LockEvents#acquired(LockAcquisition, io.mongolock.core.HeldLock, List)} says.
 * Thread-safe; none of its methods blocks.
 */
public final class ClaimEvents {

	private final Listeners listeners;

	private final Instruments instruments;

	private final LockLog log;

	private final StoreClockWatch storeClock;

	private final LimitWatch limits = new LimitWatch();

	ClaimEvents(Listeners listeners, Instruments instruments, LockLog log, StoreClockWatch storeClock) {
		this.listeners = listeners;
		this.instruments = instruments;
		this.log = log;
		this.storeClock = storeClock;
	}

	/**
	 * A claim begins, on the thread that wants the lock.
	 * @param acquisition the claim
	 */
	public void claiming(LockAcquisition acquisition) {
		this.instruments.measure((instrument) -> instrument.claiming(acquisition, acquisition.request()));
	}

	/**
	 * A claim asks the store, on the current thread.
	 * @param acquisition the claim
	 * @return is to be closed after the answer
	 */
	public Scope asking(LockAcquisition acquisition) {
		return this.instruments.open((instrument) -> instrument.asking(acquisition));
	}

	/**
	 * The store answered a claim.
	 * @param acquisition the claim
	 * @param answer what it said
	 * @param requested when it was asked
	 * @param answered when its answer came
	 */
	public void answered(LockAcquisition acquisition, ClaimAnswer answer, ClockReading requested,
			ClockReading answered) {
		this.storeClock.observe(answer.now(), requested, answered, acquisition.terms().margin());
		this.limits.observe(acquisition.request(), acquisition.limit(), answer);
	}

	/**
	 * A claim has to wait.
	 * @param acquisition the claim
	 */
	public void queued(LockAcquisition acquisition) {
		this.instruments.measure((instrument) -> instrument.queued(acquisition));
	}

	/**
	 * A claim took a place in line.
	 * @param request what was asked for
	 * @param place the place
	 */
	public void waiting(LockRequest request, LockPlace place) {
		this.listeners.publish((listener) -> listener.onWaiting(request, place));
	}

	/**
	 * A claim that waits is woken.
	 * @param acquisition the claim
	 */
	public void woken(LockAcquisition acquisition) {
		this.instruments.measure((instrument) -> instrument.woken(acquisition));
	}

	/**
	 * A claim that was woken to ask again has its answer.
	 * @param request what was asked for
	 * @param granted whether it was woken for good
	 * @param woken when it was woken
	 */
	public void wokenUp(LockRequest request, boolean granted, ClockReading woken) {
		this.instruments.measure((instrument) -> instrument.wokenUp(request, granted, this.instruments.since(woken)));
	}

	/**
	 * Others held a lock at the end of the wait.
	 * @param acquisition the claim
	 * @param holders who they are
	 */
	public void denied(LockAcquisition acquisition, List<LockHolder> holders) {
		LockRequest request = acquisition.request();
		boolean skips = request.onUnavailable() == OnUnavailable.SKIP;
		Duration waited = this.instruments.since(acquisition.begun());
		ClaimEnd denied = (acquisition.terms().waitTimeout().isZero()) ? ClaimEnd.DENIED : ClaimEnd.TIMEOUT;
		ended(acquisition, (skips) ? ClaimEnd.SKIPPED : denied);
		if (skips) {
			this.listeners.publish((listener) -> listener.onSkipped(request, holders, waited));
			this.log.skipped(request, holders);
		}
		else {
			this.listeners.publish((listener) -> listener.onUnavailable(request, holders, waited));
		}
	}

	/**
	 * A claim ended without the lock.
	 * @param acquisition the claim
	 * @param end how it ended
	 */
	public void ended(LockAcquisition acquisition, ClaimEnd end) {
		this.instruments.claimed(acquisition, end, null);
	}

	/**
	 * A claim ended, as the store failed.
	 * @param acquisition the claim
	 * @param failure how
	 */
	public void failed(LockAcquisition acquisition, LockStoreException failure) {
		this.instruments.claimed(acquisition, ClaimEnd.FAILED, failure);
	}

}
