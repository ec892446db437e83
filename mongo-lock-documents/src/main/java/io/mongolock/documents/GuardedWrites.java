package io.mongolock.documents;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.result.UpdateResult;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.util.Assert;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LossReason;
import io.mongolock.StaleFenceException;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TimedStatements;

/**
 * Lets the documents keep the fence. All goes through the application's template, so that
 * it is part of the application's transaction, if there is one.
 */
final class GuardedWrites implements FencedWrites {

	private static final Duration MIN_LIMIT = Duration.ofSeconds(1);

	private final MongoTemplate template;

	private final MongoLockStore store;

	GuardedWrites(MongoTemplate template, MongoLockStore store) {
		this.template = template;
		this.store = store;
	}

	@Override
	public UpdateResult update(LockHandle lock, Query query, Update update, Class<?> type) {
		GuardedUpdate guarded = new GuardedUpdate(this.template.getConverter(), query, update, type, lock.fence());
		UpdateResult result = write(this.template, lock, guarded, type);
		if (result.getMatchedCount() == 0 && isStale(lock, guarded, type)) {
			throw new StaleFenceException(lock.key(), lock.fence(),
					"A later holder of lock '" + KeyText.printable(lock.key()) + "' has already written this "
							+ type.getSimpleName() + "; the write with fence " + lock.fence() + " changed nothing");
		}
		return result;
	}

	/**
	 * Send an update, which has time as long as the lock lasts.
	 * @param template the application's template
	 * @param lock the lock
	 * @param update the update
	 * @param type the type of the document
	 * @return the result
	 */
	static UpdateResult write(MongoTemplate template, LockHandle lock, GuardedUpdate update, Class<?> type) {
		TimedStatements statements = limited(template, lock);
		try {
			// the driver leaves the concern out inside a transaction
			return Objects.requireNonNull(statements.execute(template.getCollectionName(type),
					(documents) -> update.run(documents.withWriteConcern(WriteConcern.MAJORITY))));
		}
		catch (RuntimeException ex) {
			throw UnknownWrite.explained(ex, type.getSimpleName(), template, statements.timeout());
		}
	}

	private boolean isStale(LockHandle lock, GuardedUpdate update, Class<?> type) {
		return ask(type.getSimpleName(),
				() -> limited(this.template, lock).execute(this.template.getCollectionName(type), update::isStale));
	}

	@Override
	public void touch(LockHandle lock) {
		if (lock instanceof LockedDocument<?> || lock instanceof LeaseControl leased && leased.hasContent()) {
			throw new IllegalArgumentException("Lock '" + KeyText.printable(lock.key())
					+ "' is a field of the document that it locks, and cannot be touched: a transaction keeps what its "
					+ "thread has locked before it begins, and what it saves");
		}
		Assert.isInstanceOf(LeaseControl.class, lock, "Only a handle of this library can be touched");
		ClientSession session = DocumentTransaction.sessionOf(this.template)
			.orElseThrow(() -> new IllegalStateException("Lock '" + KeyText.printable(lock.key())
					+ "' can be touched only inside a MongoDB transaction of the application's template, and "
					+ CurrentTransaction.describe()));
		// by the template, which translates exceptions
		DbCallback<Boolean> touch = (database) -> this.store.touch(((LeaseControl) lock).lease(), session);
		if (!ask("lock '" + KeyText.printable(lock.key()) + "'", () -> limited(this.template, lock).execute(touch))) {
			throw new LockLostException(lock.key(), lock.fence(), LossReason.REFUSED,
					"Lock '" + KeyText.printable(lock.key()) + "' (fence " + lock.fence()
							+ ") was lost before the commit of the transaction that relies on it");
		}
	}

	private static TimedStatements limited(MongoTemplate template, LockHandle lock) {
		Duration remaining = lock.remaining();
		return new TimedStatements(template, (remaining.compareTo(MIN_LIMIT) > 0) ? remaining : MIN_LIMIT);
	}

	private static <T> T ask(String what, Supplier<@Nullable T> statement) {
		try {
			return Objects.requireNonNull(statement.get());
		}
		catch (RuntimeException ex) {
			throw TransactionConflict.explained(ex, what);
		}
	}

}
