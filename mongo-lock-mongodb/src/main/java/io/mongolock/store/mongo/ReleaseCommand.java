package io.mongolock.store.mongo;

import com.mongodb.WriteConcern;
import org.bson.BsonArray;
import org.bson.BsonDocument;

import io.mongolock.store.ReleaseAnswer;

/**
 * Ends a lease by one command. Its answer has the lock as it was before, and so tells
 * whether anyone waits for it. Thread-safe.
 */
record ReleaseCommand(PrimaryCollection locks, LockStatements statements) {

	/**
	 * Send the release.
	 * @param filter the document of the lock
	 */
	ReleaseAnswer send(StoreRequest request, BsonDocument filter, String token) {
		BsonDocument update = this.statements.release(token);
		RepeatedCommand command = new RepeatedCommand(request.timeoutMillis());
		return this.locks.execute(request, () -> {
			BsonDocument before = command.send((left) -> this.locks.updateAndGetBefore(filter, update,
					this.statements.whetherAwaited(), WriteConcern.W1, left));
			boolean ended = new LockDocument(before).mentions(token);
			if (!ended) {
				// The lease was not there, or an earlier attempt has ended it
				command.requireNoDoubt();
			}
			return new ReleaseAnswer(ended, before.get("queue") instanceof BsonArray queue && !queue.isEmpty());
		});
	}

}
