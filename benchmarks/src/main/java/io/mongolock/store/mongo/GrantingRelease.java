package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;

import io.mongolock.store.StoredWaiter;

/**
 * The statement that ends a lease and gives the lock to the first in the queue whose
 * place counts, if the rule of claims admits it. A queue whose first place counts is cut
 * behind it, and no other entry is evaluated. One grant at most: of readers or of the
 * users of a semaphore those behind would have to be admitted as well, by a
 * {@code $reduce} over the places in front.
 */
final class GrantingRelease extends ClaimStatements {

	/** The field that has the token of who was granted the lock by a release. */
	static final String GRANTED = "granted";

	private static final BsonInt32 FIRST = new BsonInt32(0);

	private static final BsonInt32 ONE = new BsonInt32(1);

	private static final BsonInt32 ALL = new BsonInt32(Integer.MAX_VALUE);

	private final BsonDocument counts = encoded(ends("$$e.", ONE));

	private final BsonDocument stays = encoded(ends("$$e.", new BsonInt32(StoredWaiter.STAYS)));

	private final BsonDocument queue = encoded(operator("$ifNull", path("queue"), array()));

	private final BsonDocument decision;

	/**
	 * Create the statement.
	 * @param length how long the lease lasts that it grants
	 */
	GrantingRelease(Duration length) {
		super(null);
		BsonString others = string("$$others");
		BsonString alive = string("$$alive");
		BsonString ready = string("$$ready");
		BsonString line = string("$$line");
		BsonString first = string("$$first");
		BsonString head = string("$$head");
		BsonDocument holder = document("token", string("$$head.token"), "fence", this.nextFence)
			.append("limit", string("$$head.limit"))
			.append("owner", string("$$head.owner"))
			.append("acquiredAt", this.now)
			.append("renewedAt", this.now)
			.append("ttl", number(length.toMillis()));
		BsonDocument rest = operator("$cond", ready, operator("$slice", line, ONE, ALL),
				filter(line, operator("$ne", string("$$e.token"), string("$$head.token"))));
		BsonDocument granted = changed(
				document("holders", operator("$concatArrays", alive, array(holder)), "queue", rest)
					.append("fence", this.nextFence)
					.append("touchedAt", this.now)
					.append("previous", others)
					.append(GRANTED, string("$$head.token")));
		BsonDocument limit = operator("$min", string("$$head.limit"), document("$min", string("$$alive.limit")));
		BsonDocument admitted = operator("$and", operator("$gt", head, BsonNull.VALUE),
				operator("$lt", document("$size", alive), limit));
		BsonDocument decided = operator("$cond", admitted, granted, changed(document("holders", others)));
		BsonDocument heads = document("head",
				operator("$cond", ready, first, operator("$arrayElemAt", filter(line, this.counts), FIRST)));
		BsonDocument lines = document("line", operator("$cond", ready, this.queue, filter(this.queue, this.stays)));
		BsonDocument firsts = document("alive", filter(others, this.counts), "ready", ends("$$first.", ONE));
		this.decision = encoded(let(firsts, let(lines, let(heads, decided))));
	}

	/**
	 * Ends the lease of a token, or leaves the document as it is.
	 */
	List<BsonDocument> of(String token) {
		BsonDocument own = literal(string(token));
		BsonDocument others = filter(path("holders"), operator("$ne", string("$$e.token"), own));
		BsonDocument variables = document("others", others, "first", operator("$arrayElemAt", this.queue, FIRST));
		BsonDocument held = operator("$in", own, operator("$ifNull", path("holders.token"), array()));
		return replaceWith(operator("$cond", held, let(variables, this.decision), this.root));
	}

	// Whether an entry lasts; one that is not there has no date, which is before any
	private BsonDocument ends(String entry, BsonInt32 times) {
		return operator("$gt",
				operator("$add", string(entry + "renewedAt"), operator("$multiply", string(entry + "ttl"), times)),
				this.now);
	}

}
