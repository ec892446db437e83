package io.mongolock.store.mongo;

import java.util.List;
import java.util.concurrent.TimeUnit;

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

	/** MongoDB 4.4 tells of an upsert race; the next attempt finds the document. */
	private static final int ATTEMPTS = 5;

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
	 * @param locks the collection, with the timeout set
	 * @param filter finds the lock by its id alone
	 * @param claim what is asked for
	 * @param timeoutMillis how long it may take
	 * @return the lock as it stands after it
	 */
	LockDocument send(MongoCollection<BsonDocument> locks, BsonDocument filter, Claim claim, long timeoutMillis) {
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
		if (!FastClaim.suits(claim)) {
			return ask(locks, filter, this.pipeline.of(claim), deadline);
		}
		LockDocument answer = ask(locks, filter, this.fast.of(claim), deadline);
		if (!answer.isFree()) {
			return answer;
		}
		// Denied by what has run out, of which this statement knows too little
		long left = Math.max(1, left(deadline));
		return ask(locks.withTimeout(left, TimeUnit.MILLISECONDS), filter, this.pipeline.of(claim), deadline);
	}

	private LockDocument ask(MongoCollection<BsonDocument> locks, BsonDocument filter, List<BsonDocument> statement,
			long deadline) {
		MongoCollection<BsonDocument> timed = locks;
		for (int attempt = 1;; attempt++) {
			try {
				BsonDocument answer = timed.findOneAndUpdate(filter, statement, this.options);
				return new LockDocument((answer != null) ? answer : new BsonDocument());
			}
			catch (RuntimeException ex) {
				long left = left(deadline);
				if (!StoreFailures.isDuplicateKey(ex) || attempt == ATTEMPTS || left < 1) {
					throw ex;
				}
				timed = locks.withTimeout(left, TimeUnit.MILLISECONDS);
			}
		}
	}

	private static long left(long deadline) {
		return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
	}

}
