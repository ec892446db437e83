package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

import io.mongolock.LockClock;
import io.mongolock.store.TimeLeft;

/**
 * Waits until the majority has confirmed all that the primary has answered so far. Change
 * streams show an event only then. Without this command, a release is confirmed only by
 * the next write of another client or the next flush of the journal, up to 100 ms later.
 * The command is an update that finds nothing, which waits for the last operation of the
 * server. Thread-safe.
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
	 * Ask, and wait for the confirmation. Does nothing unless the collection is on a
	 * replica set and not behind a mongos, because no client follows change streams
	 * elsewhere.
	 */
	void send(Duration timeout) {
		StoreRequest request = StoreRequest.write("confirm releases", "", timeout);
		TimeLeft time = new TimeLeft(LockClock.system(), timeout);
		this.locks.execute(request, () -> {
			if (this.locks.isOnReplicaSet(time.left())) {
				this.locks.run(this.command, time.left().toMillis());
			}
			return true;
		});
	}

}
