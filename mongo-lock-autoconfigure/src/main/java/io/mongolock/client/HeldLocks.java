package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LocalWaitQueues;
import io.mongolock.core.LockAcquisition.Granted;
import io.mongolock.core.ReleaseOutcome;
import io.mongolock.store.LockStore;

/**
 * What this client holds, from the grant to the release. Thread-safe.
 */
final class HeldLocks {

	private static final Log logger = LogFactory.getLog(HeldLocks.class);

	private final LockStore store;

	private final LockClock clock;

	private final LocalWaitQueues<Attempt, HeldLock> lines;

	private final ClientLifecycle lifecycle;

	private final LockReleaser releaser;

	private final LockEvents events;

	private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

	HeldLocks(LockStore store, LockClock clock, LocalWaitQueues<Attempt, HeldLock> lines, ClientLifecycle lifecycle,
			LockReleaser releaser, LockEvents events) {
		this.store = store;
		this.clock = clock;
		this.lines = lines;
		this.lifecycle = lifecycle;
		this.releaser = releaser;
		this.events = events;
	}

	/**
	 * An attempt was granted the lock: keep it.
	 * @param attempt the attempt
	 * @param step the grant
	 * @return the lock
	 */
	HeldLock granted(Attempt attempt, Granted step) {
		HeldLock heldLock = new HeldLock(attempt, step, now(), this::lost);
		this.held.add(heldLock);
		Attempt.letAsk(this.lines.granted(attempt.key(), attempt, heldLock));
		this.lifecycle.renewer().register(heldLock.lease());
		LockHandle handle = observe(heldLock);
		log("Acquired", heldLock);
		this.events.publish((listener) -> listener.onAcquired(handle));
		for (LockHolder previous : step.lapsed()) {
			logger.warn("Lock '" + attempt.key() + "' was taken over from " + previous.owner()
					+ ", who neither renewed nor released it (fence " + previous.fence() + ", now "
					+ heldLock.lease().fence() + ")");
			this.events.publish((listener) -> listener.onTakenOver(handle, previous));
		}
		return heldLock;
	}

	/**
	 * Renew a lease now.
	 * @param heldLock the lock
	 * @return whether it is held
	 */
	boolean renew(HeldLock heldLock) {
		ClockReading requested = now();
		if (!this.store.renew(heldLock.id(), heldLock.lease().terms().operationTimeout())) {
			heldLock.lease().lose(LossReason.REFUSED);
		}
		return heldLock.lease().renewed(requested, now());
	}

	/**
	 * Renew all leases of a key now.
	 * @param key the key
	 */
	void renew(String key) {
		this.held.stream().filter((heldLock) -> heldLock.id().key().equals(key)).forEach(this::renew);
	}

	/**
	 * Give a lock back, or hold it no longer if it is left to its lease.
	 * @param heldLock the lock
	 * @throws io.mongolock.LockLostException if it had been lost, unless the request says
	 * to ignore that
	 */
	void release(HeldLock heldLock) {
		ReleaseOutcome outcome = (heldLock.end()) ? end(heldLock) : ReleaseOutcome.LOST;
		if (outcome == ReleaseOutcome.LOST && heldLock.request().onLost() != OnLost.IGNORE) {
			throw LockExceptions.lost(heldLock);
		}
	}

	/**
	 * Declare everything lost and give it back.
	 * @param until when to be done, on the monotonic clock
	 */
	void abandonAll(long until) {
		for (HeldLock heldLock : List.copyOf(this.held)) {
			this.held.remove(heldLock);
			heldLock.lease().lose(LossReason.SHUTDOWN);
			if (heldLock.end() && !heldLock.isLeftToExpire()) {
				long left = Math.max(1_000_000, until - this.clock.nanoTime());
				this.releaser.abandon(heldLock, Duration.ofNanos(left));
			}
		}
	}

	/**
	 * A first grip on a lock.
	 * @param heldLock the lock
	 * @return a handle
	 */
	LeaseHandle handle(HeldLock heldLock) {
		return new LeaseHandle(heldLock, this);
	}

	ClockReading now() {
		return ClockReading.of(this.clock);
	}

	private ReleaseOutcome end(HeldLock heldLock) {
		this.held.remove(heldLock);
		this.lifecycle.renewer().unregister(heldLock.lease());
		try {
			return (heldLock.isLeftToExpire()) ? letExpire(heldLock) : giveBack(heldLock);
		}
		finally {
			over(heldLock);
		}
	}

	private ReleaseOutcome giveBack(HeldLock heldLock) {
		ReleaseOutcome outcome = this.releaser.release(heldLock);
		tell(heldLock, outcome);
		return outcome;
	}

	private ReleaseOutcome letExpire(HeldLock heldLock) {
		logger.warn("Lock '" + heldLock.id().key() + "' is not released, as nobody knows whether the transaction "
				+ "that used it was committed; its lease of " + heldLock.lease().terms().ttl().toMillis()
				+ "ms runs out by itself");
		return (heldLock.lease().release(now())) ? ReleaseOutcome.RELEASED : ReleaseOutcome.LOST;
	}

	private void tell(HeldLock heldLock, ReleaseOutcome outcome) {
		LockHandle handle = observe(heldLock);
		if (outcome == ReleaseOutcome.RELEASED) {
			log("Released", heldLock);
			this.events.publish((listener) -> listener.onReleased(handle));
		}
		else if (outcome == ReleaseOutcome.EXPIRED_UNCONTESTED) {
			logger.warn("Lock '" + heldLock.id().key() + "' (fence " + heldLock.lease().fence()
					+ ") was not granted to anyone else before its release, although its lease had run out");
			this.events.publish((listener) -> listener.onExpiredUncontested(handle));
		}
		else if (heldLock.lease().lossReason() == null) {
			tellLost(heldLock, LossReason.REFUSED);
		}
	}

	private void lost(HeldLock heldLock, @Nullable LossReason reason) {
		// Called once per lease, on whatever thread notices
		over(heldLock);
		tellLost(heldLock, (reason != null) ? reason : LossReason.DEADLINE);
	}

	private void tellLost(HeldLock heldLock, LossReason reason) {
		logger.warn(LockExceptions.describeLoss(heldLock, reason));
		LockHandle handle = observe(heldLock);
		this.events.publish((listener) -> listener.onLost(handle, reason));
	}

	private void over(HeldLock heldLock) {
		Attempt.letAsk(this.lines.released(heldLock.id().key(), heldLock));
	}

	private static void log(String what, HeldLock heldLock) {
		if (logger.isDebugEnabled()) {
			logger.debug(what + " lock '" + heldLock.id().key() + "' (fence " + heldLock.lease().fence() + ")");
		}
	}

	private LockHandle observe(HeldLock heldLock) {
		return new ReadOnlyLockHandle(heldLock, this);
	}

}
