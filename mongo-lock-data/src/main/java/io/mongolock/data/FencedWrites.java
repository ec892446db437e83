package io.mongolock.data;

import com.mongodb.client.result.UpdateResult;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.util.Assert;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.StaleFenceException;
import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Guarded writes to the application's own documents: a holder that has lost its lock
 * cannot overwrite the write of a later holder. Use them where overlap must be
 * impossible, not just unlikely. Thread-safe.
 */
public interface FencedWrites {

	/**
	 * The field in which a guarded document keeps the highest fence that wrote it.
	 */
	String FIELD = "fence";

	/**
	 * Update a document unless a later holder of the lock has written it, and note the
	 * lock's fence in it. Outside of a transaction the majority of the replica set
	 * confirms the write, regardless of the template's own write concern. Once this
	 * method has returned, the write is never rolled back. The statement may take as long
	 * as the lock lasts, but at least a second. If that time is over or the answer was
	 * lost, an exception of Spring's says that the document may have been written. Inside
	 * a transaction, only its commit counts.
	 * @param lock the lock that the writer relies on
	 * @param query finds the document
	 * @param update the change; this object is not modified; it must not name
	 * {@value #FIELD}
	 * @param type the type of the document
	 * @return the result, with a matched count of zero if there is no such document
	 * @throws StaleFenceException if a later holder has written it; nothing was changed
	 * @throws IllegalArgumentException if the query or the update names {@value #FIELD}
	 */
	UpdateResult update(LockHandle lock, Query query, Update update, Class<?> type);

	/**
	 * Make the lock part of the current MongoDB transaction, which is then committed only
	 * if the lock is not taken over before. Until the commit the lock's own renewal has
	 * to wait, so commit well before the lock runs out. A renewal between the
	 * transaction's first statement and this call causes a write conflict. If there may
	 * be a renewal, make this call first: by default the lock is renewed every second.
	 * @param lock the lock that the transaction relies on
	 * @throws LockLostException if the lock is gone; the transaction must be rolled back
	 * @throws IllegalArgumentException if it is the lock of a document; a transaction
	 * keeps such locks without this call if the document is locked before the transaction
	 * begins
	 * @throws IllegalStateException outside of a MongoDB transaction of the template, or
	 * if the locks are kept by another MongoDB client than the transaction's
	 */
	void touch(LockHandle lock);

	/**
	 * Create guarded writes.
	 * @param template the application's {@code MongoTemplate} that its transactions use
	 * @param store where the locks are kept
	 * @return the writes
	 * @throws IllegalArgumentException if it is no {@code MongoTemplate}
	 */
	static FencedWrites of(MongoOperations template, MongoLockStore store) {
		Assert.notNull(store,
				"Without the store, no fence can be checked. To write without a check, use unguarded(template)");
		return new GuardedWrites(CurrentTransaction.template(template), store);
	}

	/**
	 * Create writes without a guard, for an application whose locks are switched off. An
	 * update neither checks nor notes a fence, and a touch does nothing.
	 * @param template the application's {@code MongoTemplate}
	 * @return the writes
	 * @throws IllegalArgumentException if it is no {@code MongoTemplate}
	 */
	static FencedWrites unguarded(MongoOperations template) {
		return new GuardedWrites(CurrentTransaction.template(template), null);
	}

}
