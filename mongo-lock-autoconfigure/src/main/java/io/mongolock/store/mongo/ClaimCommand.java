package io.mongolock.store.mongo;

import java.util.List;

import com.mongodb.WriteConcern;
import org.bson.BsonDocument;

import io.mongolock.store.Claim;

/**
 * Asks the server for a lock: the cheap statement where that may be enough, else the one
 * that decides everything. Thread-safe.
 */
final class ClaimCommand {

	private final FastClaim fast = new FastClaim();

	private final ClaimPipeline pipeline = new ClaimPipeline();

	private final BsonDocument projection;

	ClaimCommand(BsonDocument projection) {
		this.projection = projection;
	}

	/**
	 * Ask.
	 * @param command repeats what is worth it
	 */
	LockDocument send(RepeatedCommand command, LockCollection locks, BsonDocument filter, Claim claim) {
		if (!FastClaim.suits(claim)) {
			return ask(command, locks, filter, this.pipeline.of(claim));
		}
		LockDocument answer = ask(command, locks, filter, this.fast.of(claim));
		if (answer.mentions(claim.id().leaseToken()) || !answer.isFree()) {
			return answer;
		}
		// Denied by what has run out, of which this statement knows too little
		return ask(command, locks, filter, this.pipeline.of(claim));
	}

	private LockDocument ask(RepeatedCommand command, LockCollection locks, BsonDocument filter,
			List<BsonDocument> statement) {
		return new LockDocument(command
			.send((timeout) -> locks.upsert(filter, statement, this.projection, WriteConcern.MAJORITY, timeout)));
	}

}
