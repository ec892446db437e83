package io.mongolock.test.embedded;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Runs a write that a driver may send again once: the second time it gets the first
 * answer. A write that wrote nothing is not remembered and runs again. Thread-safe: the
 * sessions are guarded by this object, the last write of a session by the session.
 */
final class RetryableWrites {

	private static final int MAX_SESSIONS = 10_000;

	private final Map<Object, Session> sessions = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Object, Session> eldest) {
			return size() > MAX_SESSIONS;
		}

	};

	Document run(Document command, Supplier<WriteReply> write) {
		if (command.get("txnNumber") instanceof Number number && command.get("lsid") instanceof Document id) {
			return session(id).run(number.longValue(), write);
		}
		return write.get().document();
	}

	private synchronized Session session(Document id) {
		return this.sessions.computeIfAbsent(id.get("id"), (key) -> new Session());
	}

	/**
	 * One session of a client.
	 */
	private static final class Session {

		private long lastNumber = -1;

		private @Nullable Document lastReply;

		private synchronized Document run(long number, Supplier<WriteReply> write) {
			if (number < this.lastNumber) {
				throw ServerErrors.transactionTooOld("Retryable write with txnNumber " + number
						+ " is prohibited because a newer one with txnNumber " + this.lastNumber + " has started");
			}
			if (number == this.lastNumber && this.lastReply != null) {
				return this.lastReply.clone();
			}
			this.lastNumber = number;
			this.lastReply = null;
			WriteReply reply = write.get();
			if (reply.wrote()) {
				this.lastReply = reply.remembered().clone();
			}
			return reply.document();
		}

	}

}
