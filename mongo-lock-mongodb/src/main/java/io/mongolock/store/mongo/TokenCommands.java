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
 * The requests to a collection by the token of a lease or of a place in the queue,
 * wherever in a document the lock stands, each with the write concern that it needs.
 * Their text is in {@link LockStatements}. Those for many locks are one unordered bulk
 * write of the statements that each lock would get alone, and answer how many were there.
 * A method without a comment does what {@link io.mongolock.store.LockStore} says of its
 * name. Thread-safe.
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

	public boolean renew(LeaseId lease, Duration timeout) {
		return update(StoreRequest.write("renew lock", lease.key(), timeout), held(lease), this.statements.renewal());
	}

	/**
	 * Begin a lease anew as part of a transaction of the application, which keeps all
	 * other writes away from the document until it ends.
	 * @throws LockStoreException if it failed; the transaction must be rolled back
	 * @throws IllegalStateException if the session is of another client
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
	 * End the lease of a token, whichever grant it is of.
	 * @return whether it was there, with an answer that no failover takes back
	 */
	public boolean release(LeaseId lease, Duration timeout) {
		return pull(StoreRequest.write("release lock", lease.key(), timeout), WriteConcern.MAJORITY,
				this.statements.release(lease.leaseToken()));
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
		return pull(StoreRequest.write("release lock", lease.key(), timeout), WriteConcern.MAJORITY,
				this.statements.release(lease.leaseToken(), fence));
	}

	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return update(StoreRequest.write("ask to release lock", lease.key(), timeout), held(lease),
				this.statements.releaseRequest(reason, by));
	}

	public boolean leave(LeaseId claim, Duration timeout) {
		// Rolled back, it is a place that runs out by itself
		return pull(StoreRequest.write("leave the queue of lock", claim.key(), timeout), WriteConcern.W1,
				this.statements.leave(claim.leaseToken()));
	}

	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return all("leave the queues of", WriteConcern.W1, claims, timeout,
				(claim) -> new UpdateOneModel<>(byId(claim.key()), this.statements.leave(claim.leaseToken())),
				BulkWriteResult::getModifiedCount);
	}

	public int refreshAll(List<LeaseId> claims, Duration timeout) {
		// Rolled back, it is a place that runs out a little earlier
		return all("refresh places in the queues of", WriteConcern.W1, claims, timeout,
				(claim) -> new UpdateOneModel<>(
						this.statements.awaitedBy(this.ids.apply(claim.key()), claim.leaseToken()),
						this.statements.refresh()),
				BulkWriteResult::getMatchedCount);
	}

	/**
	 * Whether a lock is held by a lease.
	 */
	BsonDocument held(LeaseId lease) {
		return this.statements.heldBy(this.ids.apply(lease.key()), lease.leaseToken());
	}

	/**
	 * The document of a lock.
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

	private boolean update(StoreRequest request, BsonDocument filter, BsonDocument update) {
		return this.locks.execute(request, WriteConcern.MAJORITY,
				(locks) -> locks.updateOne(filter, update).getMatchedCount() != 0);
	}

	private boolean pull(StoreRequest request, WriteConcern concern, BsonDocument update) {
		BsonDocument filter = byId(request.key());
		return this.locks.execute(request, concern, (locks) -> locks.updateOne(filter, update).getModifiedCount() != 0);
	}

}
