package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.UpdateOneModel;
import org.bson.BsonDocument;
import org.bson.BsonValue;

import io.mongolock.store.LeaseId;

/**
 * Requests for many locks at once: one unordered bulk write of the statements that each
 * lock would get alone. Each answers how many were there. Thread-safe.
 */
record BulkRequests(LockStatements statements, Function<String, BsonValue> ids) {

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	Function<MongoCollection<BsonDocument>, Integer> renew(List<LeaseId> leases) {
		return matched(
				updates(leases, (lease) -> new UpdateOneModel<>(this.statements.heldBy(id(lease), lease.leaseToken()),
						this.statements.renewal())));
	}

	Function<MongoCollection<BsonDocument>, Integer> refresh(List<LeaseId> claims) {
		return matched(updates(claims,
				(claim) -> new UpdateOneModel<>(this.statements.awaitedBy(id(claim), claim.leaseToken()),
						this.statements.refresh())));
	}

	Function<MongoCollection<BsonDocument>, Integer> release(List<LeaseId> leases) {
		return modified(updates(leases, (lease) -> new UpdateOneModel<>(this.statements.byId(id(lease)),
				this.statements.release(lease.leaseToken()))));
	}

	Function<MongoCollection<BsonDocument>, Integer> expire(Map<LeaseId, Duration> leases) {
		return matched(updates(List.copyOf(leases.keySet()),
				(lease) -> new UpdateOneModel<>(this.statements.heldBy(id(lease), lease.leaseToken()),
						this.statements.keep(Objects.requireNonNull(leases.get(lease))))));
	}

	Function<MongoCollection<BsonDocument>, Integer> leave(List<LeaseId> claims) {
		return modified(updates(claims, (claim) -> new UpdateOneModel<>(this.statements.byId(id(claim)),
				this.statements.leave(claim.leaseToken()))));
	}

	private static List<UpdateOneModel<BsonDocument>> updates(List<LeaseId> ids,
			Function<LeaseId, UpdateOneModel<BsonDocument>> update) {
		List<UpdateOneModel<BsonDocument>> updates = new ArrayList<>(ids.size());
		ids.forEach((id) -> updates.add(update.apply(id)));
		return updates;
	}

	private static Function<MongoCollection<BsonDocument>, Integer> modified(
			List<UpdateOneModel<BsonDocument>> updates) {
		return (locks) -> locks.bulkWrite(updates, UNORDERED).getModifiedCount();
	}

	private static Function<MongoCollection<BsonDocument>, Integer> matched(
			List<UpdateOneModel<BsonDocument>> updates) {
		return (locks) -> locks.bulkWrite(updates, UNORDERED).getMatchedCount();
	}

	private BsonValue id(LeaseId lease) {
		return this.ids.apply(lease.key());
	}

}
