package io.mongolock.event;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.store.KeyText;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * Notices in the answers to claims that other callers request the same lock with another
 * limit. The smallest limit counts, and a warning is logged once per name. A shared and
 * an exclusive claim may differ. Thread-safe.
 */
final class LimitWatch {

	private static final Log logger = LogFactory.getLog(LimitWatch.class);

	/**
	 * The maximum number of names, so that keys without a name do not fill the memory.
	 */
	private static final int MAX_NAMES = 1_000;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	/**
	 * Check the answer to a claim.
	 */
	void observe(LockRequest request, int limit, StoredLock lock) {
		for (StoredHolder holder : lock.holders()) {
			if (contradicts(limit, holder.limit()) && holder.isAlive(lock.now())) {
				say(request, limit, holder.limit(), holder.owner());
			}
		}
	}

	private void say(LockRequest request, int limit, int other, LockOwner owner) {
		String name = request.name();
		if (this.said.size() < MAX_NAMES && this.said.add((name != null) ? name : request.key())) {
			logger.warn("Lock '" + KeyText.printable(request.key()) + "' is requested " + text(limit) + ", but held "
					+ text(other) + " by " + owner + ", so the smallest limit counts. Give all methods and requests "
					+ ((name != null) ? "of the locks named '" + KeyText.printable(name) + "'" : "of this key")
					+ " the same limit. This is logged only once");
		}
	}

	private static boolean contradicts(int limit, int other) {
		boolean readAndWrite = Math.min(limit, other) == 1 && Math.max(limit, other) == LockRequest.UNLIMITED;
		return limit != other && !readAndWrite;
	}

	private static String text(int limit) {
		return (limit != LockRequest.UNLIMITED) ? "with limit " + limit : "shared";
	}

}
