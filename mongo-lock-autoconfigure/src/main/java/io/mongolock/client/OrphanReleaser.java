package io.mongolock.client;

import java.time.Duration;
import java.util.Map;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.core.ClockReading;
import io.mongolock.core.OrphanCleanup;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * Cleans up behind requests whose outcome is unknown: runs an {@link OrphanCleanup}, on
 * the threads for that. Thread-safe.
 */
final class OrphanReleaser {

	private static final Log logger = LogFactory.getLog(OrphanReleaser.class);

	private final LockStore store;

	private final LockClock clock;

	private final ClientLifecycle lifecycle;

	OrphanReleaser(LockStore store, LockClock clock, ClientLifecycle lifecycle) {
		this.store = store;
		this.clock = clock;
		this.lifecycle = lifecycle;
	}

	/**
	 * Release a token in the background until nothing can be left of it.
	 * @param cleanup says when
	 * @param id the token
	 * @param terms the terms of its lease
	 */
	void begin(OrphanCleanup cleanup, LeaseId id, ResolvedLockSettings terms) {
		goOn(cleanup.first(now()), cleanup, id, terms);
	}

	/**
	 * Release a token now, and then in the background until nothing can be left of it.
	 * @param cleanup says when
	 * @param id the token
	 * @param terms the terms of its lease
	 */
	void release(OrphanCleanup cleanup, LeaseId id, ResolvedLockSettings terms) {
		if (this.lifecycle.beginRequest()) {
			try {
				goOn(ask(cleanup, id, terms), cleanup, id, terms);
			}
			finally {
				this.lifecycle.endRequest();
			}
		}
	}

	private long ask(OrphanCleanup cleanup, LeaseId id, ResolvedLockSettings terms) {
		try {
			if (cleanup.isInLine()) {
				this.store.leave(id, terms.operationTimeout());
			}
			Duration keptFor = cleanup.keptFor(now());
			if (!keptFor.isZero()) {
				this.store.expireAll(Map.of(id, keptFor), terms.operationTimeout());
			}
			else if (this.store.release(id, terms.operationTimeout())) {
				logger.info("Freed lock '" + KeyText.printable(id.key())
						+ "', which a request without an answer had left behind");
			}
			return cleanup.answered(now());
		}
		catch (RuntimeException ex) {
			logger.debug("Clean-up of lock '" + KeyText.printable(id.key()) + "' failed", ex);
			return cleanup.failed(now());
		}
	}

	private void goOn(long pause, OrphanCleanup cleanup, LeaseId id, ResolvedLockSettings terms) {
		if (pause >= 0) {
			this.lifecycle.threads().cleanUpAfter(pause, () -> release(cleanup, id, terms));
		}
	}

	private ClockReading now() {
		return ClockReading.of(this.clock);
	}

}
