package io.mongolock.core;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.KeyText;

/**
 * How an acquisition fails without the store having said so.
 */
final class AcquisitionFailures {

	private AcquisitionFailures() {
	}

	static LockStoreException unanswered(String key, ResolvedLockSettings terms, boolean sent, boolean unknown,
			@Nullable LockStoreException last) {
		return new LockStoreException(key, (sent || unknown) ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED,
				"The store " + ((sent) ? "has not answered" : "could not be asked") + " for lock '"
						+ KeyText.printable(key) + "' within wait-timeout + operation-timeout = "
						+ terms.waitTimeout().toMillis() + "ms + " + terms.operationTimeout().toMillis() + "ms"
						+ ((sent) ? "" : ": all threads for requests are busy"),
				last);
	}

	static LockStoreException answeredTooLate(String key, ResolvedLockSettings terms, long nanos) {
		return new LockStoreException(key, Outcome.UNKNOWN,
				"The store granted lock '" + KeyText.printable(key) + "' but its answer took " + nanos / 1_000_000
						+ "ms, longer than a lease of " + terms.ttl().toMillis() + "ms can be relied on",
				null);
	}

	static LockStoreException neverAsked(String key, LockStoreException ahead) {
		return new LockStoreException(key, Outcome.NOT_EXECUTED, "Lock '" + KeyText.printable(key)
				+ "' was not asked for, as the claim ahead of it in this application fails: " + ahead.getMessage(),
				ahead);
	}

}
