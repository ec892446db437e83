package io.mongolock.event;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.core.LockExceptions;
import io.mongolock.store.KeyText;

/**
 * Logs what was skipped: the first of each name at INFO, as somebody may wonder why
 * nothing happened, and all others at DEBUG. Thread-safe.
 */
final class SkipLog {

	/** So that names made up at runtime do not fill the memory. */
	private static final int MAX_NAMES = 1_000;

	private final EventLog log;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	SkipLog(EventLog log) {
		this.log = log;
	}

	/**
	 * Somebody goes on without a lock.
	 */
	void skipped(LockRequest request, List<LockHolder> holders) {
		String name = (request.name() != null) ? request.name() : "";
		if (this.said.size() < MAX_NAMES && this.said.add(name)) {
			this.log.info(describe(request, holders) + "; further skips of "
					+ ((name.isEmpty()) ? "locks without a name" : "locks named '" + KeyText.printable(name) + "'")
					+ " are logged at DEBUG");
		}
		else if (this.log.isDebugEnabled()) {
			this.log.debug(describe(request, holders));
		}
	}

	private static String describe(LockRequest request, List<LockHolder> holders) {
		return "Skipped what was to be done under lock '" + KeyText.printable(request.key()) + "', as it "
				+ LockExceptions.whoHolds(holders);
	}

}
