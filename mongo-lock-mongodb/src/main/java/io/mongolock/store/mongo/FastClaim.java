package io.mongolock.store.mongo;

import java.util.List;

import org.bson.BsonDocument;
import org.bson.BsonInt32;

import io.mongolock.store.Claim;
import io.mongolock.store.StoredWaiter;

/**
 * The statement that grants an exclusive lock to the first request of a token if there
 * can be no holder and no waiter. It is exactly as recorded on a real server, where it
 * costs about 0.6 of a {@link ClaimPipeline}. It may deny a claim that the pipeline
 * grants, never the reverse. Entries count as alive until the longest ttl among them has
 * passed since the latest renewal. For places in the queue this is the longest time for
 * which they stay. Thread-safe, because the built documents are never changed.
 */
final class FastClaim extends ClaimStatements {

	private final BsonDocument over = encoded(operator("$lte",
			operator("$max", lastEnd("$holders", longest("$holders")),
					lastEnd("$queue", operator("$multiply", longest("$queue"), new BsonInt32(StoredWaiter.STAYS)))),
			this.now));

	private final BsonDocument previous = encoded(operator("$ifNull", string("$holders"), array()));

	FastClaim() {
		super(null);
	}

	/**
	 * Whether this statement can decide the claim.
	 */
	static boolean suits(Claim claim) {
		return claim.first() && claim.limit() == 1 && !claim.waiting();
	}

	/**
	 * Grants the claim or leaves the document as it is.
	 */
	List<BsonDocument> of(Claim claim) {
		BsonDocument grant = document("holders", array(holder(claim, token(claim), granted(claim, this.nextFence))),
				"queue", array())
			.append("fence", this.nextFence)
			.append("touchedAt", this.now)
			.append("previous", this.previous);
		return replaceWith(operator("$cond", this.over, changed(grant), this.root));
	}

	private static BsonDocument longest(String entries) {
		return document("$max", string(entries + ".ttl"));
	}

	private static BsonDocument lastEnd(String entries, BsonDocument after) {
		// Without entries the sum is null, which sorts before any date
		return operator("$add", document("$max", string(entries + ".renewedAt")), after);
	}

}
