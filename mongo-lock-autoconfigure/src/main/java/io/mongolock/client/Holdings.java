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
import io.mongolock.client.Claiming.Granted;
import io.mongolock.renewal.Moment;
import io.mongolock.store.LockStore;

/**
 * What this client holds, from the grant to the release. Safe for use by several threads.
 */
final class Holdings {

	private static final Log logger = LogFactory.getLog(Holdings.class);

	private final LockStore store;

	private final LockClock clock;

	private final LocalLines<Attempt, Holding> lines;

	private final ClientLifecycle lifecycle;

	private final Releases releases;

	private final LockEvents events;

	private final Set<Holding> held = ConcurrentHashMap.newKeySet();

	Holdings(LockStore store, LockClock clock, LocalLines<Attempt, Holding> lines, ClientLifecycle lifecycle,
			Releases releases, LockEvents events) {
		this.store = store;
		this.clock = clock;
		this.lines = lines;
		this.lifecycle = lifecycle;
		this.releases = releases;
		this.events = events;
	}

	/**
	 * An attempt was granted the lock: keep it.
	 * @param attempt the attempt
	 * @param step the grant
	 * @return the lock
	 */
	Holding granted(Attempt attempt, Granted step) {
		Holding holding = new Holding(attempt, step, now(), this::lost);
		this.held.add(holding);
		Attempt.letAsk(this.lines.granted(attempt.key(), attempt, holding));
		this.lifecycle.renewer().keep(holding.lease());
		LockHandle handle = observe(holding);
		log("Acquired", holding);
		this.events.tell((listener) -> listener.acquired(handle));
		for (LockHolder previous : step.lapsed()) {
			logger.warn("Lock '" + attempt.key() + "' was taken over from " + previous.owner()
					+ ", who neither renewed nor released it (fence " + previous.fence() + ", now "
					+ holding.lease().fence() + ")");
			this.events.tell((listener) -> listener.takenOver(handle, previous));
		}
		return holding;
	}

	/**
	 * Renew a lease now.
	 * @param holding the lock
	 * @return whether it is held
	 */
	boolean renew(Holding holding) {
		Moment requested = now();
		if (!this.store.renew(holding.id(), holding.lease().terms().operationTimeout())) {
			holding.lease().lose(LossReason.REFUSED);
		}
		return holding.lease().renewed(requested, now());
	}

	/**
	 * Renew all leases of a key now.
	 * @param key the key
	 */
	void renew(String key) {
		this.held.stream().filter((holding) -> holding.id().key().equals(key)).forEach(this::renew);
	}

	/**
	 * Give a lock back, or hold it no longer if it is left to its lease.
	 * @param holding the lock
	 * @throws io.mongolock.LockLostException if it had been lost, unless the request says
	 * to ignore that
	 */
	void release(Holding holding) {
		ReleaseOutcome outcome = (holding.end()) ? end(holding) : ReleaseOutcome.LOST;
		if (outcome == ReleaseOutcome.LOST && holding.request().onLost() != OnLost.IGNORE) {
			throw Messages.lost(holding);
		}
	}

	/**
	 * Declare everything lost and give it back.
	 * @param until when to be done, on the monotonic clock
	 */
	void abandonAll(long until) {
		for (Holding holding : List.copyOf(this.held)) {
			this.held.remove(holding);
			holding.lease().lose(LossReason.SHUTDOWN);
			if (holding.end() && !holding.isLeftToLapse()) {
				long left = Math.max(1_000_000, until - this.clock.nanoTime());
				this.releases.abandon(holding, Duration.ofNanos(left));
			}
		}
	}

	/**
	 * A first grip on a lock.
	 * @param holding the lock
	 * @return a handle
	 */
	LeaseHandle handle(Holding holding) {
		return new LeaseHandle(holding, this);
	}

	Moment now() {
		return Moment.of(this.clock);
	}

	private ReleaseOutcome end(Holding holding) {
		this.held.remove(holding);
		this.lifecycle.renewer().forget(holding.lease());
		try {
			return (holding.isLeftToLapse()) ? letLapse(holding) : giveBack(holding);
		}
		finally {
			over(holding);
		}
	}

	private ReleaseOutcome giveBack(Holding holding) {
		ReleaseOutcome outcome = this.releases.release(holding);
		tell(holding, outcome);
		return outcome;
	}

	private ReleaseOutcome letLapse(Holding holding) {
		logger.warn("Lock '" + holding.id().key() + "' is not released, as nobody knows whether the transaction "
				+ "that used it was committed; its lease of " + holding.lease().terms().ttl().toMillis()
				+ "ms runs out by itself");
		return (holding.lease().release(now())) ? ReleaseOutcome.RELEASED : ReleaseOutcome.LOST;
	}

	private void tell(Holding holding, ReleaseOutcome outcome) {
		LockHandle handle = observe(holding);
		if (outcome == ReleaseOutcome.RELEASED) {
			log("Released", holding);
			this.events.tell((listener) -> listener.released(handle));
		}
		else if (outcome == ReleaseOutcome.OVERRAN) {
			logger.warn("Lock '" + holding.id().key() + "' (fence " + holding.lease().fence()
					+ ") was not granted to anyone else before its release, although its lease had run out");
			this.events.tell((listener) -> listener.overran(handle));
		}
		else if (holding.lease().lossReason() == null) {
			tellLost(holding, LossReason.REFUSED);
		}
	}

	private void lost(Holding holding, @Nullable LossReason reason) {
		// Called once per lease, on whatever thread notices
		over(holding);
		tellLost(holding, (reason != null) ? reason : LossReason.DEADLINE);
	}

	private void tellLost(Holding holding, LossReason reason) {
		logger.warn(Messages.describeLoss(holding, reason));
		LockHandle handle = observe(holding);
		this.events.tell((listener) -> listener.lost(handle, reason));
	}

	private void over(Holding holding) {
		Attempt.letAsk(this.lines.released(holding.id().key(), holding));
	}

	private static void log(String what, Holding holding) {
		if (logger.isDebugEnabled()) {
			logger.debug(what + " lock '" + holding.id().key() + "' (fence " + holding.lease().fence() + ")");
		}
	}

	private LockHandle observe(Holding holding) {
		return new ObservedLock(holding, this);
	}

}
