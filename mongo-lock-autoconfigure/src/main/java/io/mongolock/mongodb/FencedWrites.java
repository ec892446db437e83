package io.mongolock.mongodb;

import com.mongodb.client.result.UpdateResult;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LossReason;
import io.mongolock.StaleFenceException;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;
import io.mongolock.store.Leased;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Writes to the application's own documents that a holder whose lock was lost cannot
 * make: for where overlap must be impossible, not unlikely. Thread-safe.
 */
public final class FencedWrites {

	/**
	 * The field in which a guarded document keeps the highest fence that wrote it.
	 */
	public static final String FIELD = "fence";

	private final MongoOperations template;

	private final MongoLockStore store;

	/**
	 * Create guarded writes.
	 * @param template the application's template
	 * @param store where the locks are kept
	 */
	public FencedWrites(MongoOperations template, MongoLockStore store) {
		this.template = template;
		this.store = store;
	}

	/**
	 * Update a document unless a later holder of the lock has written it, and note the
	 * lock's fence in it.
	 * @param lock the lock that the writer relies on
	 * @param query finds the document
	 * @param update what to change
	 * @param type the type of the document
	 * @return the result, with a matched count of zero if there is no such document
	 * @throws StaleFenceException if a later holder has written it; nothing was changed
	 */
	public UpdateResult update(LockHandle lock, Query query, Update update, Class<?> type) {
		long fence = lock.fence();
		// matches a missing field, too
		Query guarded = Query.of(query).addCriteria(Criteria.where(FIELD).not().gt(fence));
		Update noted = Update.fromDocument(new Document(update.getUpdateObject())).set(FIELD, fence);
		UpdateResult result = this.template.updateFirst(guarded, noted, type);
		if (result.getMatchedCount() == 0
				&& this.template.exists(Query.of(query).addCriteria(Criteria.where(FIELD).gt(fence)), type)) {
			throw new StaleFenceException(lock.key(), fence,
					"A later holder of lock '" + KeyText.printable(lock.key()) + "' has already written this "
							+ type.getSimpleName() + "; the write with fence " + fence + " changed nothing");
		}
		return result;
	}

	/**
	 * Make the lock part of the current MongoDB transaction, as its last statement: it
	 * then is committed only if the lock is not taken over before. Until the commit the
	 * lock's own renewal has to wait, so commit at once.
	 * @param lock the lock that the transaction relies on
	 * @throws LockLostException if the lock is gone; the transaction must be rolled back
	 * @throws IllegalStateException outside of a transaction
	 */
	public void touch(LockHandle lock) {
		Assert.state(TransactionSynchronizationManager.isActualTransactionActive(),
				"A lock can be touched only inside a transaction of MongoDB, and there is none on this thread");
		Assert.isInstanceOf(Leased.class, lock, "Only a handle of this library can be touched");
		LeaseId lease = ((Leased) lock).lease();
		Query held = new Query(Criteria.where("_id").is(this.store.id(lease)).and("holders.token").is(lease.token()));
		UpdateResult result = this.template.updateFirst(held, new Update().currentDate("touchedAt"),
				this.store.collection());
		if (result.getMatchedCount() == 0) {
			throw new LockLostException(lock.key(), lock.fence(), LossReason.REFUSED,
					"Lock '" + KeyText.printable(lock.key()) + "' (fence " + lock.fence()
							+ ") was lost before the commit of the transaction that relies on it");
		}
	}

}
