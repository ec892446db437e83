package io.mongolock.client;

import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.store.LockStore;

/**
 * Has releases confirmed that others wait for, since only then the store notifies them. A
 * release does not wait for that: it happens in the background, one request at a time,
 * and one more that covers all releases before it. A stop does not wait either: it takes
 * and releases nothing. Thread-safe.
 */
final class ReleaseConfirmer {

	private static final Log logger = LogFactory.getLog(ReleaseConfirmer.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final LockStore store;

	private final ClientPhase phase;

	ReleaseConfirmer(LockStore store, ClientPhase phase) {
		this.store = store;
		this.phase = phase;
	}

	/**
	 * A lock was released that others wait for. Does not block.
	 */
	void released() {
		this.phase.threads().confirm(this::confirm);
	}

	private void confirm() {
		if (this.phase.isClosed()) {
			return;
		}
		try {
			this.store.confirmReleases(TIMEOUT);
		}
		catch (RuntimeException ex) {
			logger.debug("Released locks are not confirmed yet: those who wait for them notice later", ex);
		}
	}

}
