package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * Has the majority confirm all that the primary has answered so far. An event of a change
 * stream is shown only then, and a release that nobody waits to see confirmed is by the
 * next write of somebody else, or the next flush of the journal, up to 100 ms later. An
 * update that finds nothing waits for the last operation of the server. Thread-safe.
 */
final class ConfirmCommand {

	private final PrimaryCollection locks;

	private final BsonDocument command;

	ConfirmCommand(PrimaryCollection locks, LockStatements statements) {
		this.locks = locks;
		BsonDocument nothing = new BsonDocument("q", statements.byIds(new BsonArray())).append("u", statements.touch());
		this.command = new BsonDocument("update", new BsonString(locks.name()))
			.append("updates", new BsonArray(List.of(nothing)))
			.append("writeConcern", new BsonDocument("w", new BsonString("majority")));
	}

	/**
	 * Ask, and wait until it is confirmed; not at all where nobody waits for events.
	 */
	void send(Duration timeout) {
		StoreRequest request = StoreRequest.write("confirm releases", "", timeout);
		RepeatedCommand once = new RepeatedCommand((failure) -> false, request.timeoutMillis());
		this.locks.execute(request, () -> {
			if (once.send((left) -> this.locks.isOnReplicaSet(Duration.ofMillis(left)))) {
				once.send((left) -> this.locks.run(this.command, left));
			}
			return true;
		});
	}

}
