package io.mongolock.store.mongo;

import java.util.List;

import com.mongodb.WriteConcern;
import org.bson.BsonDocument;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.StoredLock;

/**
 * Asks the server for a lock. If the claim suits it, the cheap statement is sent first.
 * The full statement is sent for other claims, and if the cheap answer shows no live
 * holder. Thread-safe.
 */
final class ClaimCommand {

	private final FastClaim fast = new FastClaim();

	private final ClaimPipeline pipeline = new ClaimPipeline();

	private final PrimaryCollection locks;

	private final LockStatements statements;

	/** A fast claim is granted only if the queue is empty, and takes no place in it. */
	private final BsonDocument withoutQueue;

	ClaimCommand(PrimaryCollection locks, LockStatements statements) {
		this.locks = locks;
		this.statements = statements;
		this.withoutQueue = statements.projection("holders", "fence", "previous", LockDocument.RECALLED);
	}

	/**
	 * Send the claim.
	 * @param filter the document of the lock
	 */
	ClaimAnswer send(StoreRequest request, BsonDocument filter, Claim claim) {
		// Safe to repeat: a token that was granted already gets the same grant
		RepeatedCommand command = new RepeatedCommand(request.timeoutMillis());
		return this.locks.execute(request, () -> {
			StoredLock lock = (FastClaim.suits(claim))
					? ask(request, command, filter, claim, this.fast.of(claim), this.withoutQueue) : null;
			if (lock == null || !lock.isHeld()) {
				// The fast statement has denied the lock because of a waiter or of
				// entries that have run out. It knows too little of both
				lock = ask(request, command, filter, claim, this.pipeline.of(claim),
						this.statements.claimed(ClaimStatements.token(claim)));
			}
			return new ClaimAnswer(lock, null, command.isInDoubt());
		});
	}

	private StoredLock ask(StoreRequest request, RepeatedCommand command, BsonDocument filter, Claim claim,
			List<BsonDocument> statement, BsonDocument answer) {
		BsonDocument lock = command
			.send((timeout) -> this.locks.upsert(filter, statement, answer, WriteConcern.MAJORITY, timeout));
		return new LockDocument(lock).toLock(request, claim, command.isInDoubt(), this.locks.name());
	}

}
