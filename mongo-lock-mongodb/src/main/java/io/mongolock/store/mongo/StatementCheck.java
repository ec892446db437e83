package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;

import com.mongodb.WriteConcern;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.UpdateOneModel;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

import io.mongolock.LockOwner;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;

/**
 * Sends the exact statements of locks for a document that cannot exist. A server that
 * does not know them says so before a lock is claimed. Nothing is written. Thread-safe.
 */
final class StatementCheck {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final String TOKEN = "check";

	private final PrimaryCollection locks;

	private final LockStatements statements = new LockStatements();

	StatementCheck(PrimaryCollection locks) {
		this.locks = locks;
	}

	/**
	 * Send the statements.
	 * @throws RuntimeException if one of them failed
	 */
	void send(long timeoutMillis) {
		BsonString nobody = new BsonString("check:" + UUID.randomUUID());
		Claim claim = new Claim(new LeaseId(TOKEN, TOKEN), 1, 1, TTL, new LockOwner("", "", "", 0, ""), TTL, false,
				TTL);
		this.locks.update(this.statements.byId(nobody), new BsonArray(new ClaimPipeline().of(claim)),
				this.statements.claimed(ClaimStatements.token(claim)), WriteConcern.W1, timeoutMillis);
		this.locks.with(WriteConcern.W1, timeoutMillis)
			.bulkWrite(Stream
				.of(new UpdateOneModel<BsonDocument>(this.statements.byId(nobody), new FastClaim().of(claim)),
						update(this.statements.heldBy(nobody, TOKEN), this.statements.renewal()),
						update(this.statements.heldBy(nobody, TOKEN), this.statements.keep(TTL)),
						update(this.statements.awaitedBy(nobody, TOKEN), this.statements.refresh()),
						update(this.statements.byId(nobody), this.statements.release(TOKEN, 1)),
						update(this.statements.byId(nobody), this.statements.leave(TOKEN)))
				.toList(), new BulkWriteOptions().ordered(false));
	}

	private static UpdateOneModel<BsonDocument> update(BsonDocument filter, BsonDocument update) {
		return new UpdateOneModel<>(filter, update);
	}

}
