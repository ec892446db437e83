package io.mongolock.store.mongo;

import java.util.List;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

import io.mongolock.store.Claim;

/**
 * The common parts of statements that grant locks, exactly as they were recorded on a
 * real server. A change here must be proved on a real server.
 */
abstract class ClaimStatements extends Statements {

	final BsonString now = string("$$NOW");

	final BsonString root = string("$$ROOT");

	/**
	 * Higher than any fence. We cannot know the last fence of a document that does not
	 * exist.
	 */
	private static final BsonValue UNKNOWN_FENCE = number(1L << 53);

	/** The highest fence from the grant on, including those set aside for hand-overs. */
	final BsonDocument nextFence;

	private final @Nullable String field;

	/**
	 * Create statements.
	 * @param field the field that keeps the lock, {@code null} if the whole document is
	 * the lock
	 */
	ClaimStatements(@Nullable String field) {
		this.field = field;
		this.nextFence = encoded(
				operator("$max", operator("$add", operator("$ifNull", path("fence"), number(0)), number(1)),
						operator("$multiply", document("$toLong", this.now), number(1024))));
	}

	final BsonString path(String name) {
		return string((this.field != null) ? "$" + this.field + "." + name : "$" + name);
	}

	final BsonDocument holder(Claim claim, BsonDocument token, BsonValue fence) {
		BsonDocument holder = document("token", token, "fence", fence).append("limit", new BsonInt32(claim.limit()))
			.append("owner", literal(LockDocument.owner(claim.owner())))
			.append("acquiredAt", this.now)
			.append("renewedAt", this.now)
			.append("ttl", number(claim.ttl().toMillis()));
		return (claim.linger().isZero()) ? holder : holder.append("linger", number(claim.linger().toMillis()));
	}

	final BsonDocument changed(BsonDocument fields) {
		return changed(fields, new BsonDocument());
	}

	/**
	 * Changes the lock, and the document around it if there is one.
	 */
	final BsonDocument changed(BsonDocument fields, BsonDocument around) {
		if (this.field == null) {
			return operator("$mergeObjects", this.root, fields);
		}
		BsonDocument lock = document(this.field, operator("$mergeObjects", string("$" + this.field), fields));
		lock.putAll(around);
		return operator("$mergeObjects", this.root, lock);
	}

	/**
	 * The fence of the grant. The fences that it sets aside lie above it and below the
	 * clock. A document begins anew at the clock after it was deleted, so fences must
	 * never run ahead of the clock. If there is less room between the last fence and the
	 * clock, fewer fences are set aside.
	 */
	final BsonValue granted(Claim claim, BsonValue next) {
		if (claim.reserve() == 0) {
			return next;
		}
		BsonDocument afterLast = operator("$add", operator("$ifNull", path("fence"), UNKNOWN_FENCE), number(1));
		return operator("$min", next, operator("$max", operator("$add", next, number(-claim.reserve())), afterLast));
	}

	static BsonDocument token(Claim claim) {
		return literal(string(claim.id().leaseToken()));
	}

	static List<BsonDocument> replaceWith(BsonDocument decision) {
		return List.of(document("$replaceWith", decision));
	}

}
