package io.mongolock.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.Lease;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.core.RenewalBatch;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.StoreServers;

/**
 * Reports what happens to locks and their leases from the grant on: to the
 * {@link Listeners}, to the {@link Instruments} and in the {@link LockLog}. None of these
 * waits for another. Thread-safe. Only {@link #flushLog} and {@link #awaitLosses} block.
 */
public final class LockEvents {

	private final Listeners listeners;

	private final Instruments instruments;

	private final LockLog log;

	private final LockClock clock;

	/**
	 * Create new events.
	 * @param threads creates the factory of daemon threads for a name
	 */
	public LockEvents(List<LockListener> listeners, LockClock clock, Function<String, ThreadFactory> threads) {
		this.log = new LockLog(LogFactory.getLog(LockEvents.class), threads, clock);
		this.listeners = new Listeners(listeners, threads, this.log);
		this.instruments = new Instruments(listeners, clock, this.log);
		this.clock = clock;
	}

	/**
	 * Create the events of attempts, for the same listeners.
	 */
	public AttemptEvents ofClaims(StoreServers servers) {
		return new AttemptEvents(this.listeners, this.instruments, this.log, this.clock,
				new StoreClockStepWatch(this.listeners, this.instruments, servers));
	}

	/**
	 * A caller begins to work under a lock, on the current thread.
	 * @return the scope, which must be closed at the end of the work
	 */
	public Scope working(HeldLock heldLock) {
		return this.instruments.open((instrument) -> instrument.working(observe(heldLock.lease())));
	}

	/**
	 * Other clients want a lock whose lease is idle, or may become idle next.
	 * @param request the request for which the lock was granted
	 */
	public void recalled(LockRequest request) {
		this.instruments.measure((instrument) -> instrument.recalled(request));
	}

	/**
	 * A lock was broken on purpose.
	 */
	public void broken(String key, LockHolder holder) {
		this.log.broken(key, holder);
		this.listeners.publish((listener) -> listener.onBroken(key, holder));
	}

	/**
	 * Attempts wait for each other.
	 */
	public void deadlocked(LockDeadlock deadlock) {
		this.log.deadlocked(deadlock);
		this.instruments.measure(LockInstrumentation::deadlocked);
		this.listeners.publish((listener) -> listener.onDeadlock(deadlock));
	}

	/**
	 * A lock was lost. {@link #cutOff} logs the losses of a stop.
	 */
	public void lost(HeldLock heldLock, LossReason reason) {
		LockHandle handle = observe(heldLock.lease());
		this.listeners.publishLoss((listener) -> listener.onLost(handle, reason));
		this.instruments.measure((instrument) -> instrument.lost(handle, heldLock.request(), reason));
		if (reason != LossReason.SHUTDOWN) {
			this.log.lost(heldLock, reason);
		}
	}

	/**
	 * A stop took locks away from their holders.
	 */
	public void cutOff(List<HeldLock> lost) {
		this.log.cutOff(lost);
	}

	/**
	 * The holder released a lock.
	 */
	public void ended(HeldLock heldLock, ReleaseOutcome outcome) {
		if (outcome == ReleaseOutcome.LOST && heldLock.lossReason() == null) {
			lost(heldLock, LossReason.REFUSED);
		}
		ClockReading now = ClockReading.of(this.clock);
		measureEnd(heldLock, outcome, now);
		switch (outcome) {
			case RELEASED -> released(heldLock, heldLock.state().keptFor(now));
			case EXPIRED_UNCONTESTED -> expiredUncontested(heldLock);
			case LEFT_TO_EXPIRE -> leftToExpire(heldLock, heldLock.state().keptFor(now));
			case LOST -> {
				// The loss was reported when it happened
			}
		}
	}

	/**
	 * Another holder that knows the token goes on with a lock. The lock is no longer held
	 * here, but it is not free.
	 */
	public void passedOn(HeldLock heldLock) {
		measureEnd(heldLock, ReleaseOutcome.RELEASED, ClockReading.of(this.clock));
	}

	private void measureEnd(HeldLock heldLock, ReleaseOutcome outcome, ClockReading now) {
		this.instruments.measure((instrument) -> instrument.ended(observe(heldLock.lease()), heldLock.request(),
				outcome, heldLock.heldFor(now)));
	}

	private void released(HeldLock heldLock, Duration keptFor) {
		this.log.released(heldLock, keptFor);
		if (this.listeners.hearGrantsAndReleases()) {
			LockHandle handle = observe(heldLock.lease());
			this.listeners.publishGrantOrRelease((listener) -> listener.onReleased(handle, keptFor));
		}
	}

	private void expiredUncontested(HeldLock heldLock) {
		this.log.expiredUncontested(heldLock);
		LockHandle handle = observe(heldLock.lease());
		this.listeners.publish((listener) -> listener.onExpiredUncontested(handle));
	}

	private void leftToExpire(HeldLock heldLock, Duration keptFor) {
		this.log.leftToExpire(heldLock, (keptFor.isZero()) ? heldLock.ttl() : keptFor);
	}

	/**
	 * The store failed to release a lock. The release is tried again in the background.
	 */
	public void releaseFailed(HeldLock heldLock, RuntimeException failure) {
		this.log.releaseFailed(heldLock, failure);
		publishReleaseFailed(heldLock, failure);
	}

	/**
	 * Locks could not be released at a stop, and there is no further try.
	 * @param failure the reason
	 */
	public void releaseAtShutdownFailed(List<HeldLock> left, RuntimeException failure) {
		this.log.releaseAtShutdownFailed(left, failure);
		left.forEach((heldLock) -> publishReleaseFailed(heldLock, failure));
	}

	private void publishReleaseFailed(HeldLock heldLock, RuntimeException failure) {
		LockHandle handle = observe(heldLock.lease());
		this.listeners.publish((listener) -> listener.onReleaseFailed(handle, failure));
	}

	/**
	 * Leases are about to be renewed.
	 */
	public void renewing(List<Lease> leases, ClockReading now) {
		this.instruments.measure((instrument) -> leases.forEach((lease) -> instrument.leaseUsed(lease.used(now))));
	}

	/**
	 * The store answered, but the answer does not count for the leases yet.
	 * @param found how many of the leases the store has
	 */
	public void renewalsAnswered(List<Lease> leases, int found) {
		List<Lease> again = leases.stream().filter(Lease::hasRenewalFailed).toList();
		if (found == leases.size() && !again.isEmpty()) {
			this.log.renewedAgain(again);
		}
	}

	/**
	 * Leases were renewed, or could not be renewed. This must be called last, because
	 * instruments may run code of the application.
	 * @param found how many of the leases the store has, negative if it did not answer
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
	 * Leases could not be renewed. The renewal is tried again. A lease that ran out
	 * meanwhile is not reported here, because its loss is reported anyway.
	 * @param failed the leases of the batch that could not be renewed
	 * @param failure the reason
	 */
	public void renewalFailed(RenewalBatch batch, List<Lease> failed, Throwable failure) {
		ClockReading now = ClockReading.of(this.clock);
		List<Lease> leases = failed.stream().filter((lease) -> !lease.remaining(now).isZero()).toList();
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
	 * A caller asks to release a lock.
	 */
	public void releaseRequested(Lease lease, ReleaseRequest request) {
		LockHandle handle = observe(lease);
		this.listeners.publish((listener) -> listener.onReleaseRequested(handle, request));
	}

	/**
	 * The watch over the leases continues after an error.
	 */
	public void watchFailed(Throwable failure) {
		this.log.watchFailed(failure);
	}

	/**
	 * Publish and log everything that waits because no thread could be started. This is
	 * most important for losses.
	 * @return whether something still waits, so that this method must be called again
	 */
	public boolean retry() {
		return this.listeners.retry() | this.log.retry();
	}

	/**
	 * Wait until the earlier lines are in the log.
	 */
	public void flushLog(Duration timeout) {
		this.log.flush(timeout);
	}

	/**
	 * Wait until the listeners have heard of the losses so far.
	 */
	public void awaitLosses(Duration timeout) {
		this.listeners.awaitLosses(timeout);
	}

	private LockHandle observe(Lease lease) {
		return new ReadOnlyLockHandle(lease, this.clock);
	}

}
