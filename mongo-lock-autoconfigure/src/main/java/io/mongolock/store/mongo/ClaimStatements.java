package io.mongolock.store.mongo;

import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

import io.mongolock.store.Claim;

/**
 * What statements that grant locks have in common. They are those that were recorded on a
 * real server: a change here has to be proved there.
 */
abstract class ClaimStatements extends Statements {

	final BsonString now = string("$$NOW");

	final BsonString root = string("$$ROOT");

	final BsonDocument nextFence = encoded(
			operator("$max", operator("$add", operator("$ifNull", string("$fence"), number(0)), number(1)),
					operator("$multiply", document("$toLong", this.now), number(1024))));

	final BsonDocument holder(Claim claim, BsonDocument token, BsonValue fence) {
		return document("token", token, "fence", fence).append("limit", new BsonInt32(claim.limit()))
			.append("owner", literal(LockDocument.owner(claim.owner())))
			.append("acquiredAt", this.now)
			.append("renewedAt", this.now)
			.append("ttl", number(claim.ttl().toMillis()));
	}

	final BsonDocument changed(BsonDocument fields) {
		return operator("$mergeObjects", this.root, fields);
	}

	static BsonValue highest(Claim claim, BsonValue fence) {
		return (claim.reserve() != 0) ? operator("$add", fence, number(claim.reserve())) : fence;
	}

	static BsonDocument token(Claim claim) {
		return literal(string(claim.id().leaseToken()));
	}

	static BsonDocument literal(BsonValue value) {
		// a caller's string that begins with a dollar would else be a field of ours
		return document("$literal", value);
	}

	static List<BsonDocument> replaceWith(BsonDocument decision) {
		return List.of(document("$replaceWith", decision));
	}

	static BsonArray array(BsonValue... values) {
		return new BsonArray(List.of(values));
	}

}
