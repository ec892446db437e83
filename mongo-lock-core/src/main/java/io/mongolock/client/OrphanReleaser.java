package io.mongolock.client;

import java.time.Duration;
import java.util.Map;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockTerms;
import io.mongolock.core.OrphanCleanup;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * Cleans up after requests whose outcome is unknown. It runs an {@link OrphanCleanup} on
 * the threads for clean-up. Thread-safe.
 */
final class OrphanReleaser {

	private static final Log logger = LogFactory.getLog(OrphanReleaser.class);

	private final LockStore store;

	private final LockClock clock;

	private final ClientLifecycle phase;

	private final ReleaseSender sender;

	OrphanReleaser(LockStore store, LockClock clock, ClientLifecycle phase, ReleaseSender sender) {
		this.store = store;
		this.clock = clock;
		this.phase = phase;
		this.sender = sender;
	}

	/**
	 * Release a token in the background until nothing can be left of it.
	 */
	void begin(OrphanCleanup cleanup, LeaseId id, LockTerms terms) {
		goOn(cleanup.first(now()), cleanup, id, terms);
	}

	/**
	 * Release a token now, and then in the background until nothing can be left of it.
	 */
	void release(OrphanCleanup cleanup, LeaseId id, LockTerms terms) {
		if (this.phase.beginRequest()) {
			try {
				goOn(ask(cleanup, id, terms), cleanup, id, terms);
			}
			finally {
				this.phase.endRequest();
			}
		}
	}

	private long ask(OrphanCleanup cleanup, LeaseId id, LockTerms terms) {
		Duration timeout = cleanup.timeout(DividedEnding.PATIENCE, terms.operationTimeout());
		try {
			Duration keptFor = cleanup.keptFor(now());
			if (!keptFor.isZero()) {
				this.store.expireAll(Map.of(id, keptFor), timeout);
			}
			else if (this.sender.release(id, timeout)) {
				logger.info("Lock '" + KeyText.printable(id.key()) + "' was released in the background, because the "
						+ "request that took the lock failed");
			}
			// The place comes second, because it runs out sooner than a lease
			if (cleanup.isInQueue()) {
				this.store.leave(id, timeout);
			}
			return cleanup.answered(now());
		}
		catch (RuntimeException ex) {
			logger.debug("Could not clean up lock '" + KeyText.printable(id.key()) + "' after a request that failed",
					ex);
			if (ex instanceof LockStoreException failure && failure.getOutcome() == Outcome.UNKNOWN) {
				cleanup.unanswered();
			}
			return cleanup.failed(now());
		}
	}

	private void goOn(long pause, OrphanCleanup cleanup, LeaseId id, LockTerms terms) {
		if (pause >= 0) {
			this.phase.threads().cleanUpAfter(pause, cleanup.isSuspect(), () -> release(cleanup, id, terms));
		}
	}

	private ClockReading now() {
		return ClockReading.of(this.clock);
	}

}
