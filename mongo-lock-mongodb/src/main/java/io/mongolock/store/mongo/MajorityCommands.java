package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockStoreException;

/**
 * Sends commands to one collection in the same way as commands for locks: to the primary,
 * outside of any transaction, confirmed by the majority, and within a timeout.
 * Thread-safe.
 */
public final class MajorityCommands {

	private final PrimaryCollection collection;

	/**
	 * Create for a collection.
	 * @param template a template that never joins a session or transaction of the caller:
	 * its session synchronization is {@code NEVER}
	 * @param collection the name of the collection
	 */
	public MajorityCommands(MongoOperations template, String collection) {
		this.collection = new PrimaryCollection(template, collection);
	}

	/**
	 * Send a command, and repeat it a few times if that may help, even if it may have
	 * been executed.
	 * @param operation the verb for messages
	 * @param key the object of the verb, for messages
	 * @param timeout how long all attempts together may take
	 * @param command the command
	 * @return its answer, if any
	 * @throws LockStoreException if it failed; says whether the command may have been
	 * executed, the reason, and what to do after a refusal
	 */
	public Optional<BsonDocument> send(String operation, String key, Duration timeout,
			Function<MongoCollection<BsonDocument>, @Nullable BsonDocument> command) {
		StoreRequest request = StoreRequest.write(operation, key, timeout);
		RepeatedCommand repeated = new RepeatedCommand(request.timeoutMillis());
		return this.collection.execute(request, WriteConcern.MAJORITY, (documents) -> Optional
			.ofNullable(repeated.send((left) -> command.apply(documents.withTimeout(left, TimeUnit.MILLISECONDS)))));
	}

}
