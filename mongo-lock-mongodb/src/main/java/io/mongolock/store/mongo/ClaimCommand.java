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

	private final LockStatements statements;

	/** A fast claim is granted only if nobody stands in the queue, and takes no place. */
	private final BsonDocument withoutQueue;

	ClaimCommand(LockStatements statements) {
		this.statements = statements;
		this.withoutQueue = statements.projection("holders", "fence", "previous", LockDocument.RECALLED);
	}

	/**
	 * Ask.
	 * @param command repeats what is worth it
	 */
	LockDocument send(RepeatedCommand command, LockCollection locks, BsonDocument filter, Claim claim) {
		if (FastClaim.suits(claim)) {
			LockDocument answer = ask(command, locks, filter, this.fast.of(claim), this.withoutQueue);
			if (answer.isHeld()) {
				return answer;
			}
			// Denied by who waits, or by what has run out, of which this statement knows
			// too little
		}
		return ask(command, locks, filter, this.pipeline.of(claim),
				this.statements.claimed(ClaimStatements.token(claim)));
	}

	private LockDocument ask(RepeatedCommand command, LockCollection locks, BsonDocument filter,
			List<BsonDocument> statement, BsonDocument answer) {
		return new LockDocument(
				command.send((timeout) -> locks.upsert(filter, statement, answer, WriteConcern.MAJORITY, timeout)));
	}

}
