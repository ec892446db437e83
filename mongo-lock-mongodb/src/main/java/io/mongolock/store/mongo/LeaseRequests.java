package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.BsonValue;

import io.mongolock.LockStoreException;
import io.mongolock.store.LeaseId;

/**
 * The requests to a collection by the token of a lease or of a place in the queue,
 * wherever in a document the lock stands, each with the write concern that it needs. A
 * method without a comment does what {@link io.mongolock.store.LockStore} says of its
 * name. Thread-safe.
 */
public final class LeaseRequests {

	private final PrimaryCollection locks;

	private final LockStatements statements;

	private final Function<String, BsonValue> ids;

	private final BulkRequests bulks;

	/**
	 * Create requests.
	 */
	LeaseRequests(PrimaryCollection locks, LockStatements statements, Function<String, BsonValue> ids) {
		this.locks = locks;
		this.statements = statements;
		this.ids = ids;
		this.bulks = new BulkRequests(statements, ids);
	}

	public boolean renew(LeaseId lease, Duration timeout) {
		StoreRequest request = StoreRequest.write("renew lock", lease.key(), timeout);
		BsonDocument filter = held(lease);
		return this.locks.execute(request, WriteConcern.MAJORITY,
				(locks) -> locks.updateOne(filter, this.statements.renewal()).getMatchedCount() != 0);
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

	public int renewAll(List<LeaseId> leases, Duration timeout) {
		try {
			return all("renew", WriteConcern.MAJORITY, leases, timeout, this.bulks.renew(leases));
		}
		catch (LockStoreException ex) {
			throw StoreFailures.ofSome(leases, ex);
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
		return all("release", WriteConcern.MAJORITY, leases, timeout, this.bulks.release(leases));
	}

	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		List<LeaseId> ids = List.copyOf(leases.keySet());
		return all("keep", WriteConcern.MAJORITY, ids, timeout, this.bulks.expire(leases));
	}

	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return pull(StoreRequest.write("release lock", lease.key(), timeout), WriteConcern.MAJORITY,
				this.statements.release(lease.leaseToken(), fence));
	}

	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		StoreRequest request = StoreRequest.write("ask to release lock", lease.key(), timeout);
		BsonDocument filter = held(lease);
		BsonDocument update = this.statements.releaseRequest(reason, by);
		return this.locks.execute(request, WriteConcern.MAJORITY,
				(locks) -> locks.updateOne(filter, update).getMatchedCount() != 0);
	}

	public boolean leave(LeaseId claim, Duration timeout) {
		// Rolled back, it is a place that runs out by itself
		return pull(StoreRequest.write("leave the queue of lock", claim.key(), timeout), WriteConcern.W1,
				this.statements.leave(claim.leaseToken()));
	}

	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return all("leave the queues of", WriteConcern.W1, claims, timeout, this.bulks.leave(claims));
	}

	public int refreshAll(List<LeaseId> claims, Duration timeout) {
		// Rolled back, it is a place that runs out a little earlier
		return all("refresh places in the queues of", WriteConcern.W1, claims, timeout, this.bulks.refresh(claims));
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
			Function<MongoCollection<BsonDocument>, Integer> bulk) {
		if (leases.isEmpty()) {
			return 0;
		}
		StoreRequest request = StoreRequest.write(StoreRequest.ofLocks(operation, leases.size()), leases.get(0).key(),
				timeout);
		return this.locks.execute(request, concern, bulk);
	}

	private boolean pull(StoreRequest request, WriteConcern concern, BsonDocument update) {
		BsonDocument filter = byId(request.key());
		return this.locks.execute(request, concern, (locks) -> locks.updateOne(filter, update).getModifiedCount() != 0);
	}

}
