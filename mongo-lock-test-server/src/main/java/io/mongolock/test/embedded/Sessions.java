package io.mongolock.test.embedded;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.Document;

/**
 * The sessions of all clients that have sent a number. Thread-safe.
 */
final class Sessions {

	private static final int MAX_SESSIONS = 10_000;

	private final Transactions transactions;

	private final Map<Object, Session> sessions = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Object, Session> eldest) {
			return size() > MAX_SESSIONS;
		}

	};

	Sessions(Transactions transactions) {
		this.transactions = transactions;
	}

	/**
	 * Find a session, or create it if it is unknown.
	 * @param id its {@code lsid}
	 * @return the session
	 */
	synchronized Session get(Document id) {
		return this.sessions.computeIfAbsent(id.get("id"), (key) -> new Session(this.transactions));
	}

	/**
	 * Abort the open transactions of sessions.
	 * @param ids their {@code lsid}s
	 */
	void kill(List<?> ids) {
		ids.forEach((id) -> get((Document) id).abort());
	}

}
