package io.mongolock.data;

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

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LossReason;
import io.mongolock.StaleFenceException;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TemplateFailures;
import io.mongolock.store.mongo.TimedStatements;

/**
 * Keeps the fence in the documents. All statements go through the application's template,
 * so that they are part of the application's transaction, if there is one.
 *
 * @param template the application's template
 * @param store the store of the locks; {@code null} to leave the fences of documents
 * alone, because fences made up without a store would later shut out the real ones
 */
record GuardedWrites(MongoTemplate template, @Nullable MongoLockStore store) implements FencedWrites {

	private static final Duration MIN_LIMIT = Duration.ofSeconds(1);

	@Override
	public UpdateResult update(LockHandle lock, Query query, Update update, Class<?> type) {
		GuardedUpdate guarded = new GuardedUpdate(this.template.getConverter(), query, update, type,
				(this.store != null) ? lock.fence() : null);
		UpdateResult result = write(lock, guarded, type);
		if (this.store != null && result.getMatchedCount() == 0 && isStale(lock, guarded, type)) {
			throw new StaleFenceException(lock.key(), lock.fence(),
					"A later holder of lock '" + KeyText.printable(lock.key()) + "' has already written this "
							+ type.getSimpleName() + ", so the write with fence " + lock.fence() + " changed nothing");
		}
		return result;
	}

	private UpdateResult write(LockHandle lock, GuardedUpdate update, Class<?> type) {
		TimedStatements statements = limited(lock);
		try {
			// the driver leaves the concern out inside a transaction
			return Objects.requireNonNull(statements.execute(this.template.getCollectionName(type),
					(documents) -> update.run(documents.withWriteConcern(WriteConcern.MAJORITY))));
		}
		catch (RuntimeException ex) {
			throw TemplateFailures.ofWrite(ex, type.getSimpleName(), this.template, statements.timeout());
		}
	}

	private boolean isStale(LockHandle lock, GuardedUpdate update, Class<?> type) {
		return ask(type.getSimpleName(),
				() -> limited(lock).execute(this.template.getCollectionName(type), update::isStale));
	}

	@Override
	public void touch(LockHandle lock) {
		MongoLockStore store = this.store;
		if (store == null) {
			// Locks are off, so no lock can have been taken over
			return;
		}
		if (!(lock instanceof LeaseControl leased) || leased.hasContent()) {
			throw new IllegalArgumentException("Lock '" + KeyText.printable(lock.key())
					+ "' does not come from LockOperations. A document's lock needs no touch, because a transaction "
					+ "protects documents that it saves, or that its thread locked before the transaction");
		}
		ClientSession session = CurrentTransaction.session(this.template)
			.orElseThrow(() -> new IllegalStateException("Lock '" + KeyText.printable(lock.key())
					+ "' cannot be touched, because FencedWrites.touch needs a MongoDB transaction of the "
					+ "application's template, but " + CurrentTransaction.describe()));
		// through the template, which translates exceptions
		DbCallback<Boolean> touch = (database) -> store.touch(leased.lease(), session);
		if (!ask("lock '" + KeyText.printable(lock.key()) + "'", () -> limited(lock).execute(touch))) {
			throw new LockLostException(lock.key(), lock.fence(), LossReason.REFUSED,
					"Lock '" + KeyText.printable(lock.key()) + "' (fence " + lock.fence()
							+ ") was lost before the commit of the transaction that relies on it");
		}
	}

	// A statement may take as long as the lock lasts
	private TimedStatements limited(LockHandle lock) {
		Duration remaining = lock.remaining();
		return new TimedStatements(this.template, (remaining.compareTo(MIN_LIMIT) > 0) ? remaining : MIN_LIMIT);
	}

	private static <T> T ask(String what, Supplier<@Nullable T> statement) {
		try {
			return Objects.requireNonNull(statement.get());
		}
		catch (RuntimeException ex) {
			throw TemplateFailures.conflict(ex, what);
		}
	}

}
