package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;

import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.ClientSession;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.UpdateOneModel;
import org.bson.BsonDocument;
import org.bson.BsonValue;

import io.mongolock.LockStoreException;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

/**
 * The requests to a collection that name a lease or a place in the queue by its token,
 * each with the write concern that it needs. The lock may stand anywhere in a document.
 * {@link LockStatements} has the statements. A request for many locks is one unordered
 * bulk write of the statements that each lock would get alone, and answers how many
 * entries it found. For a method without a comment see the method of the same name in
 * {@link io.mongolock.store.LockStore}. Thread-safe.
 */
public final class TokenCommands {

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	private final PrimaryCollection locks;

	private final LockStatements statements;

	private final Function<String, BsonValue> ids;

	/**
	 * Create requests.
	 */
	TokenCommands(PrimaryCollection locks, LockStatements statements, Function<String, BsonValue> ids) {
		this.locks = locks;
		this.statements = statements;
		this.ids = ids;
	}

	/**
	 * Renew a lease in a transaction of the application. The transaction keeps all other
	 * writes away from the document until it ends.
	 * @throws LockStoreException if it failed; the transaction must be rolled back
	 * @throws IllegalStateException if the session belongs to another client
	 */
	public boolean renew(LeaseId lease, ClientSession session) {
		try {
			return this.locks.update(session, held(lease), this.statements.renewal()).getMatchedCount() != 0;
		}
		catch (MongoException ex) {
			StoreRequest request = StoreRequest.write("renew lock", lease.key(), Duration.ZERO);
			throw StoreFailures.explain(request, this.locks.name(), ex);
		}
	}

	public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
		try {
			return RenewalAnswer.of(all("renew", WriteConcern.MAJORITY, leases, timeout, (lease) -> {
				String note = notes.get(lease);
				return new UpdateOneModel<>(held(lease),
						(note != null) ? this.statements.renewal(note) : this.statements.renewal());
			}, BulkWriteResult::getMatchedCount));
		}
		catch (LockStoreException ex) {
			return StoreFailures.ofSome(leases, ex);
		}
	}

	/**
	 * End the lease of a token, whatever its grant.
	 * @return whether the lease was there; no failover takes this answer back
	 */
	public boolean release(LeaseId lease, Duration timeout) {
		return end(lease, this.statements.release(lease.leaseToken()), timeout);
	}

	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return all("release", WriteConcern.MAJORITY, leases, timeout,
				(lease) -> new UpdateOneModel<>(byId(lease.key()), this.statements.release(lease.leaseToken())),
				BulkWriteResult::getModifiedCount);
	}

	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		return all("keep", WriteConcern.MAJORITY, List.copyOf(leases.keySet()), timeout,
				(lease) -> new UpdateOneModel<>(held(lease),
						this.statements.keep(Objects.requireNonNull(leases.get(lease)))),
				BulkWriteResult::getMatchedCount);
	}

	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return end(lease, this.statements.release(lease.leaseToken(), fence), timeout);
	}

	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return this.locks.execute(StoreRequest.write("ask to release lock", lease.key(), timeout),
				WriteConcern.MAJORITY,
				(locks) -> locks.updateOne(held(lease), this.statements.releaseRequest(reason, by))
					.getMatchedCount() != 0);
	}

	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		// If this write is rolled back, the places run out by themselves
		return all("leave the queues of", WriteConcern.W1, claims, timeout,
				(claim) -> new UpdateOneModel<>(byId(claim.key()), this.statements.leave(claim.leaseToken())),
				BulkWriteResult::getModifiedCount);
	}

	public int refreshAll(List<LeaseId> claims, Duration timeout) {
		// If this write is rolled back, the place only runs out a little earlier
		return all("refresh places in the queues of", WriteConcern.W1, claims, timeout,
				(claim) -> new UpdateOneModel<>(
						this.statements.awaitedBy(this.ids.apply(claim.key()), claim.leaseToken()),
						this.statements.refresh()),
				BulkWriteResult::getMatchedCount);
	}

	/**
	 * Selects the document of a lock if a lease holds the lock.
	 */
	BsonDocument held(LeaseId lease) {
		return this.statements.heldBy(this.ids.apply(lease.key()), lease.leaseToken());
	}

	/**
	 * Selects the document of a lock.
	 */
	BsonDocument byId(String key) {
		return this.statements.byId(this.ids.apply(key));
	}

	private int all(String operation, WriteConcern concern, List<LeaseId> leases, Duration timeout,
			Function<LeaseId, UpdateOneModel<BsonDocument>> update, ToIntFunction<BulkWriteResult> count) {
		if (leases.isEmpty()) {
			return 0;
		}
		StoreRequest request = StoreRequest.write(StoreRequest.ofLocks(operation, leases.size()), leases.get(0).key(),
				timeout);
		List<UpdateOneModel<BsonDocument>> updates = new ArrayList<>(leases.size());
		leases.forEach((lease) -> updates.add(update.apply(lease)));
		return this.locks.execute(request, concern, (locks) -> count.applyAsInt(locks.bulkWrite(updates, UNORDERED)));
	}

	private boolean end(LeaseId lease, BsonDocument release, Duration timeout) {
		return this.locks.execute(StoreRequest.write("release lock", lease.key(), timeout), WriteConcern.MAJORITY,
				(locks) -> locks.updateOne(byId(lease.key()), release).getModifiedCount() != 0);
	}

}
