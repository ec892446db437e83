package io.mongolock.store.mongo;

import java.util.List;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import org.bson.BsonDocument;

import io.mongolock.store.Claim;

/**
 * Asks the server for a lock: the cheap statement where that may be enough, else the one
 * that decides everything. Thread-safe.
 */
final class ClaimCommand {

	private final FastClaim fast = new FastClaim();

	private final ClaimPipeline pipeline = new ClaimPipeline();

	private final FindOneAndUpdateOptions options;

	ClaimCommand(BsonDocument projection) {
		this.options = new FindOneAndUpdateOptions().upsert(true)
			.returnDocument(ReturnDocument.AFTER)
			.projection(projection);
	}

	/**
	 * Ask.
	 * @param timeoutMillis how long it may take
	 */
	LockDocument send(MongoCollection<BsonDocument> locks, BsonDocument filter, Claim claim, long timeoutMillis) {
		// MongoDB 4.4 reports an upsert race; the next attempt finds the document
		RepeatedCommand command = new RepeatedCommand(StoreFailures::isDuplicateKey, timeoutMillis);
		if (!FastClaim.suits(claim)) {
			return ask(command, locks, filter, this.pipeline.of(claim));
		}
		LockDocument answer = ask(command, locks, filter, this.fast.of(claim));
		if (answer.mentions(claim.id().leaseToken()) || !answer.isFree()) {
			return answer;
		}
		// Denied by what has run out, of which this statement knows too little
		return ask(command, command.withTimeLeft(locks), filter, this.pipeline.of(claim));
	}

	private LockDocument ask(RepeatedCommand command, MongoCollection<BsonDocument> locks, BsonDocument filter,
			List<BsonDocument> statement) {
		return LockDocument
			.written(command.send(locks, (timed) -> timed.findOneAndUpdate(filter, statement, this.options)));
	}

}
