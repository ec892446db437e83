package io.mongolock.client;

import java.time.Duration;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.LockTerms;
import io.mongolock.client.Releasing.End;
import io.mongolock.renewal.Moment;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * Gives locks back, and cleans up behind requests whose fate is unknown. Safe for use by
 * several threads.
 */
final class Releases {

	private static final Log logger = LogFactory.getLog(Releases.class);

	private final LockStore store;

	private final LockClock clock;

	private final Supplier<Threads> threads;

	Releases(LockStore store, LockClock clock, Supplier<Threads> threads) {
		this.store = store;
		this.clock = clock;
		this.threads = threads;
	}

	/**
	 * Give a lock back, with one request unless the store has said that it is gone.
	 * Trouble with the store is logged, and the lock released again in the background
	 * until its lease has run out. An interrupt of the thread does not keep it from that.
	 * @param holding the holding
	 * @return how it ended
	 */
	ReleaseOutcome release(Holding holding) {
		Releasing releasing = Releasing.begin(holding.lease(), holding.unknown(), Moment.of(this.clock));
		End end = (releasing.asks()) ? ask(holding, releasing) : releasing.answered(false);
		if (end.cleansUp()) {
			cleanUp(holding.id(), holding.lease().terms(), holding.unknown());
		}
		return end.outcome();
	}

	private End ask(Holding holding, Releasing releasing) {
		LockTerms terms = holding.lease().terms();
		Duration timeout = terms.operationTimeout();
		boolean interrupted = Thread.interrupted();
		try {
			return releasing.answered(
					(releasing.needsProof()) ? this.store.releaseGrant(holding.id(), holding.lease().fence(), timeout)
							: this.store.release(holding.id(), timeout));
		}
		catch (RuntimeException ex) {
			logger.warn("Release of lock '" + holding.id().key() + "' failed and is tried again in the background; "
					+ "otherwise its lease of " + terms.ttl().toMillis() + "ms runs out by itself: " + ex.getMessage());
			logger.debug("Release failed", ex);
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
	 * @param holding the holding
	 * @param timeout how long the request may take
	 */
	void abandon(Holding holding, Duration timeout) {
		Duration longest = holding.lease().terms().operationTimeout();
		try {
			this.store.release(holding.id(), (timeout.compareTo(longest) < 0) ? timeout : longest);
		}
		catch (RuntimeException ex) {
			logger.warn("Release of lock '" + holding.id().key() + "' at shutdown failed; its lease of "
					+ holding.lease().terms().ttl().toMillis() + "ms runs out by itself: " + ex.getMessage());
		}
	}

	/**
	 * Release a token in the background until nothing can be left of it.
	 * @param id the token
	 * @param terms the terms of its lease
	 * @param mayBeGrantedLate whether a claim of the token may still be executed
	 */
	void cleanUp(LeaseId id, LockTerms terms, boolean mayBeGrantedLate) {
		Cleanup cleanup = new Cleanup(Moment.of(this.clock), terms.ttl(), mayBeGrantedLate);
		this.threads.get().run(() -> cleanUp(cleanup, id, terms));
	}

	private void cleanUp(Cleanup cleanup, LeaseId id, LockTerms terms) {
		try {
			if (this.store.release(id, terms.operationTimeout())) {
				logger.info("Freed lock '" + id.key() + "', which a request without an answer had left behind");
			}
			cleanup.answered();
		}
		catch (RuntimeException ex) {
			logger.debug("Clean-up of lock '" + id.key() + "' failed", ex);
		}
		long pause = cleanup.next(Moment.of(this.clock));
		if (pause >= 0) {
			this.threads.get().runAfter(pause, () -> cleanUp(cleanup, id, terms));
		}
	}

}
