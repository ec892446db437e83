package io.mongolock.mongodb;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
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
import io.mongolock.store.Leased;
import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Lets the documents keep the fence. All goes through the application's template, so that
 * it is part of the application's transaction, if there is one.
 */
final class GuardedWrites implements FencedWrites {

	private static final long MIN_WAIT_MILLIS = 1000;

	private final MongoTemplate template;

	private final MongoLockStore store;

	GuardedWrites(MongoTemplate template, MongoLockStore store) {
		this.template = template;
		this.store = store;
	}

	@Override
	public UpdateResult update(LockHandle lock, Query query, Update update, Class<?> type) {
		GuardedUpdate guarded = new GuardedUpdate(this.template.getConverter(), query, update, type, lock.fence());
		String collection = this.template.getCollectionName(type);
		// the driver leaves it out inside a transaction
		WriteConcern concern = confirmed(lock);
		String what = type.getSimpleName();
		UpdateResult result = ask(what,
				() -> this.template.execute(collection, (documents) -> guarded.run(documents, concern)));
		if (result.getMatchedCount() == 0 && ask(what, () -> this.template.execute(collection, guarded::isStale))) {
			throw new StaleFenceException(lock.key(), lock.fence(),
					"A later holder of lock '" + KeyText.printable(lock.key()) + "' has already written this "
							+ type.getSimpleName() + "; the write with fence " + lock.fence() + " changed nothing");
		}
		return result;
	}

	@Override
	public void touch(LockHandle lock) {
		if (lock instanceof LockedDocument<?> || lock instanceof Leased leased && leased.hasContent()) {
			throw new IllegalArgumentException("Lock '" + KeyText.printable(lock.key())
					+ "' is a field of the document that it locks, and cannot be touched: a transaction keeps what its "
					+ "thread has locked before it begins, and what it saves");
		}
		Assert.isInstanceOf(Leased.class, lock, "Only a handle of this library can be touched");
		ClientSession session = DocumentTransaction.sessionOf(this.template)
			.orElseThrow(() -> new IllegalStateException("Lock '" + KeyText.printable(lock.key())
					+ "' can be touched only inside a MongoDB transaction of the application's template, and "
					+ CurrentTransaction.describe()));
		// by the template, which translates exceptions
		DbCallback<Boolean> touch = (database) -> this.store.touch(((Leased) lock).lease(), session);
		if (!ask("lock '" + KeyText.printable(lock.key()) + "'", () -> this.template.execute(touch))) {
			throw new LockLostException(lock.key(), lock.fence(), LossReason.REFUSED,
					"Lock '" + KeyText.printable(lock.key()) + "' (fence " + lock.fence()
							+ ") was lost before the commit of the transaction that relies on it");
		}
	}

	// Without a majority nobody would ever be answered
	private static WriteConcern confirmed(LockHandle lock) {
		long wait = Math.min(Integer.MAX_VALUE, Math.max(MIN_WAIT_MILLIS, lock.remaining().toMillis()));
		return WriteConcern.MAJORITY.withWTimeout(wait, TimeUnit.MILLISECONDS);
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
