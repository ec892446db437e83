package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * Has the majority confirm all that the primary has answered so far. An event of a change
 * stream is shown only then, and a release that nobody waits to see confirmed is by the
 * next write of somebody else, or the next flush of the journal, up to 100 ms later. An
 * update that finds nothing waits for the last operation of the server. Thread-safe.
 */
final class ConfirmCommand {

	private final LockCollection locks;

	private final BsonDocument command;

	/** Where alone there are events to wait for, as soon as that is known. */
	private volatile @Nullable Boolean onReplicaSet;

	ConfirmCommand(LockCollection locks, LockStatements statements) {
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
			if (once.send(this::isOnReplicaSet)) {
				once.send((left) -> this.locks.run(this.command, left));
			}
			return true;
		});
	}

	private boolean isOnReplicaSet(long timeoutMillis) {
		Boolean known = this.onReplicaSet;
		if (known == null) {
			known = this.locks.isOnReplicaSet(Duration.ofMillis(timeoutMillis));
			this.onReplicaSet = known;
		}
		return known;
	}

}
