package io.mongolock.event;

import java.util.List;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.RenewalBatch;
import io.mongolock.store.SomeRenewalsFailedException;

/**
 * Says what happens to leases when they are renewed. Thread-safe; none of its methods
 * blocks.
 */
public final class RenewalEvents {

	private final Listeners listeners;

	private final Instruments instruments;

	private final LockLog log;

	private final LockClock clock;

	RenewalEvents(Listeners listeners, Instruments instruments, LockLog log, LockClock clock) {
		this.listeners = listeners;
		this.instruments = instruments;
		this.log = log;
		this.clock = clock;
	}

	/**
	 * Leases are about to be renewed.
	 */
	public void renewing(List<Lease> leases, ClockReading now) {
		this.instruments.measure((instrument) -> leases.forEach((lease) -> instrument.leaseUsed(lease.used(now))));
	}

	/**
	 * The store answered, which does not count for the leases yet.
	 * @param found how many the store has
	 */
	public void answered(List<Lease> leases, int found) {
		List<Lease> again = leases.stream().filter(Lease::hasRenewalFailed).toList();
		if (found == leases.size() && !again.isEmpty()) {
			this.log.renewedAgain(again);
		}
	}

	/**
	 * Leases were renewed, or could not be. To be called last, because instruments may
	 * run code of the application.
	 * @param found how many the store has, or negative if it did not answer
	 */
	public void renewed(List<Lease> leases, int found, ClockReading requested) {
		if (leases.isEmpty()) {
			return;
		}
		this.instruments.measure((instrument) -> {
			instrument.renewed(leases.size(), found >= 0, this.instruments.since(requested));
			if (found == leases.size()) {
				leases.forEach((lease) -> instrument.renewed(observe(lease)));
				instrument.confirmed();
			}
		});
	}

	/**
	 * Leases could not be renewed, which is tried again. Says nothing of those that ran
	 * out meanwhile: that they are lost is said anyway.
	 * @param failure why not, and which if not all of them
	 */
	public void renewalFailed(RenewalBatch batch, Throwable failure) {
		ClockReading now = ClockReading.of(this.clock);
		List<Lease> leases = batch.leases()
			.stream()
			.filter((lease) -> !(failure instanceof SomeRenewalsFailedException some)
					|| some.failed().contains(lease.id()))
			.filter((lease) -> !lease.remaining(now).isZero())
			.toList();
		leases.forEach((lease) -> lease.renewalFailed(failure));
		if (!leases.isEmpty()) {
			this.log.renewalFailed(leases, failure, batch.isNews());
		}
		for (Lease lease : leases) {
			LockHandle handle = observe(lease);
			this.listeners.publish((listener) -> listener.onRenewalFailed(handle, failure));
		}
	}

	/**
	 * The watch over the leases failed, and goes on.
	 */
	public void watchFailed(Throwable failure) {
		this.log.watchFailed(failure);
	}

	/**
	 * Publish and log what waits because no thread could be started, losses above all.
	 * @return whether it still waits, and this is to be called again
	 */
	public boolean retry() {
		return this.listeners.retry() | this.log.retry();
	}

	/**
	 * Somebody asks to release a lock.
	 */
	public void releaseRequested(Lease lease, ReleaseRequest request) {
		LockHandle handle = observe(lease);
		this.listeners.publish((listener) -> listener.onReleaseRequested(handle, request));
	}

	private LockHandle observe(Lease lease) {
		return new ReadOnlyLockHandle(lease, this.clock);
	}

}
