package io.mongolock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import com.mongodb.WriteConcern;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockOwner;
import io.mongolock.store.KeyText;
import io.mongolock.store.mongo.TimedStatements;

/**
 * The documents of ShedLock's own provider for MongoDB. They are taken in the same way,
 * so instances that still use that provider and this one respect each other:
 *
 * <pre class="code">
 * { _id: "report", lockUntil: ISODate(…), lockedAt: ISODate(…), lockedBy: "…" }</pre>
 *
 * A lock is free if it has no document, or if its {@code lockUntil} is over by the clock
 * of the asking instance. {@code lockedBy} is different for each lock, so no lock
 * releases or extends another's document. ShedLock's own provider goes by the name when
 * it releases, and by the host when it extends. Thread-safe.
 */
final class ShedLockDocuments {

	private static final Log logger = LogFactory.getLog(ShedLockDocuments.class);

	private static final String UNTIL = "lockUntil";

	private static final String BY = "lockedBy";

	private final TimedStatements statements;

	private final String collection;

	private final LockOwner owner;

	ShedLockDocuments(MongoOperations template, String collection, Duration timeout, LockOwner owner) {
		this.statements = new TimedStatements(template, timeout);
		this.collection = collection;
		this.owner = owner;
	}

	/**
	 * Take the document of a lock.
	 * @return the lock, or {@code null} if it is not free
	 */
	@Nullable TakenDocument take(LockConfiguration configuration) {
		String lockedBy = this.owner.host() + " " + UUID.randomUUID();
		Instant now = ClockProvider.now();
		Bson free = Filters.and(Filters.eq("_id", configuration.getName()), Filters.lte(UNTIL, now));
		Bson taken = Updates.combine(Updates.set(UNTIL, configuration.getLockAtMostUntil()),
				Updates.set("lockedAt", now), Updates.set(BY, lockedBy));
		try {
			update(free, taken, new UpdateOptions().upsert(true));
			return new TakenDocument(configuration, lockedBy);
		}
		catch (DuplicateKeyException ex) {
			// There is a document, and it is not free
			return null;
		}
	}

	private boolean update(Bson filter, Bson update, UpdateOptions options) {
		return Boolean.TRUE.equals(this.statements.execute(this.collection,
				(locks) -> locks.withWriteConcern(WriteConcern.MAJORITY)
					.updateOne(filter, update, options)
					.getMatchedCount() != 0));
	}

	/**
	 * A document that was taken. The methods that end it do not fail, because a failure
	 * would replace the result of the work. If the store is in trouble, the document
	 * stays taken until its {@code lockUntil}.
	 */
	final class TakenDocument {

		private final LockConfiguration lockConfiguration;

		private final String lockedBy;

		private TakenDocument(LockConfiguration configuration, String lockedBy) {
			this.lockConfiguration = configuration;
			this.lockedBy = lockedBy;
		}

		/**
		 * Release it as if it had never been taken.
		 */
		void giveBack() {
			end(ClockProvider.now());
		}

		void unlock() {
			end(this.lockConfiguration.getUnlockTime());
		}

		/**
		 * Let it last until a new {@code lockAtMostFor} is over.
		 * @return whether the document still belongs to this lock
		 */
		boolean extend(LockConfiguration configuration) {
			return lockUntil(configuration.getLockAtMostUntil());
		}

		/**
		 * Let it last until its first {@code lockAtMostFor} is over, as if it had not
		 * been extended.
		 */
		void endAsBefore() {
			end(this.lockConfiguration.getLockAtMostUntil());
		}

		/**
		 * The same document after an extension.
		 */
		TakenDocument with(LockConfiguration configuration) {
			return new TakenDocument(configuration, this.lockedBy);
		}

		private void end(Instant time) {
			try {
				lockUntil(time);
			}
			catch (RuntimeException ex) {
				logger.warn("The document '" + KeyText.printable(this.lockConfiguration.getName())
						+ "' of ShedLock could not be released, so it stays locked until the time in its field lockUntil",
						ex);
			}
		}

		private boolean lockUntil(Instant time) {
			Bson own = Filters.and(Filters.eq("_id", this.lockConfiguration.getName()), Filters.eq(BY, this.lockedBy));
			return update(own, Updates.set(UNTIL, time), new UpdateOptions());
		}

	}

}
