package io.mongolock.store.mongo;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A command that is sent again, a few times, where its failure says that the next attempt
 * may succeed. All attempts share one timeout. Not thread-safe.
 */
final class RepeatedCommand {

	private static final int ATTEMPTS = 5;

	private final Predicate<RuntimeException> worthRepeating;

	private final long deadline;

	/**
	 * Create a command.
	 * @param timeoutMillis how long all attempts may take, from now on
	 */
	RepeatedCommand(Predicate<RuntimeException> worthRepeating, long timeoutMillis) {
		this.worthRepeating = worthRepeating;
		this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
	}

	/**
	 * Send it.
	 * @throws RuntimeException what the last attempt failed with
	 */
	@Nullable BsonDocument send(MongoCollection<BsonDocument> collection,
			Function<MongoCollection<BsonDocument>, @Nullable BsonDocument> command) {
		MongoCollection<BsonDocument> timed = collection;
		for (int attempt = 1;; attempt++) {
			try {
				return command.apply(timed);
			}
			catch (RuntimeException ex) {
				if (attempt == ATTEMPTS || !this.worthRepeating.test(ex) || millisLeft() < 1) {
					throw ex;
				}
				timed = withTimeLeft(timed);
			}
		}
	}

	/**
	 * The collection with what is left of the timeout, at least 1 ms.
	 */
	MongoCollection<BsonDocument> withTimeLeft(MongoCollection<BsonDocument> collection) {
		return collection.withTimeout(Math.max(1, millisLeft()), TimeUnit.MILLISECONDS);
	}

	private long millisLeft() {
		return TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
	}

}
