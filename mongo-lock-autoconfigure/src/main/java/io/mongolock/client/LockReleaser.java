package io.mongolock.client;

import java.time.Duration;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.OrphanCleanup;
import io.mongolock.core.ReleaseDecision;
import io.mongolock.core.ReleaseDecision.End;
import io.mongolock.core.ReleaseOutcome;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * Gives locks back, and cleans up behind requests whose fate is unknown. Thread-safe.
 */
final class LockReleaser {

	private static final Log logger = LogFactory.getLog(LockReleaser.class);

	private final LockStore store;

	private final LockClock clock;

	private final LockEvents events;

	private final Supplier<ClientThreads> threads;

	LockReleaser(LockStore store, LockClock clock, LockEvents events, Supplier<ClientThreads> threads) {
		this.store = store;
		this.clock = clock;
		this.events = events;
		this.threads = threads;
	}

	/**
	 * Give a lock back, with one request unless the store has said that it is gone.
	 * Trouble with the store is logged, and the lock released again in the background
	 * until its lease has run out. An interrupt of the thread does not keep it from that.
	 * @param heldLock the heldLock
	 * @return how it ended
	 */
	ReleaseOutcome release(HeldLock heldLock) {
		ReleaseDecision releasing = heldLock.release(ClockReading.of(this.clock));
		End end = (releasing.asks()) ? ask(heldLock, releasing) : releasing.end();
		if (end.cleansUp()) {
			beginCleanUp(heldLock.cleanUp(ClockReading.of(this.clock)), heldLock.id(), heldLock.terms());
		}
		return end.outcome();
	}

	private End ask(HeldLock heldLock, ReleaseDecision releasing) {
		Duration timeout = heldLock.terms().operationTimeout();
		boolean interrupted = Thread.interrupted();
		try {
			return releasing
				.answered((releasing.needsProof()) ? this.store.releaseGrant(heldLock.id(), heldLock.fence(), timeout)
						: this.store.release(heldLock.id(), timeout));
		}
		catch (RuntimeException ex) {
			this.events.releaseFailed(heldLock, ex);
			return releasing.failed();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Give back a lock whose holder was told that it is lost, without a second try.
	 * @param heldLock the heldLock
	 * @param timeout how long the request may take
	 */
	void abandon(HeldLock heldLock, Duration timeout) {
		Duration longest = heldLock.terms().operationTimeout();
		try {
			this.store.release(heldLock.id(), (timeout.compareTo(longest) < 0) ? timeout : longest);
		}
		catch (RuntimeException ex) {
			logger.warn("Release of lock '" + KeyText.printable(heldLock.key()) + "' at shutdown failed; its lease of "
					+ heldLock.terms().ttl().toMillis() + "ms runs out by itself: " + ex.getMessage());
		}
	}

	/**
	 * Release a token in the background until nothing can be left of it.
	 * @param cleanup says when
	 * @param id the token
	 * @param terms the terms of its lease
	 */
	void beginCleanUp(OrphanCleanup cleanup, LeaseId id, ResolvedLockSettings terms) {
		goOn(cleanup.first(ClockReading.of(this.clock)), cleanup, id, terms);
	}

	private void cleanUp(OrphanCleanup cleanup, LeaseId id, ResolvedLockSettings terms) {
		try {
			if (this.store.release(id, terms.operationTimeout())) {
				logger.info("Freed lock '" + KeyText.printable(id.key())
						+ "', which a request without an answer had left behind");
			}
			goOn(cleanup.answered(ClockReading.of(this.clock)), cleanup, id, terms);
		}
		catch (RuntimeException ex) {
			logger.debug("Clean-up of lock '" + KeyText.printable(id.key()) + "' failed", ex);
			goOn(cleanup.failed(ClockReading.of(this.clock)), cleanup, id, terms);
		}
	}

	private void goOn(long pause, OrphanCleanup cleanup, LeaseId id, ResolvedLockSettings terms) {
		if (pause >= 0) {
			this.threads.get().runAfter(pause, () -> cleanUp(cleanup, id, terms));
		}
	}

}
