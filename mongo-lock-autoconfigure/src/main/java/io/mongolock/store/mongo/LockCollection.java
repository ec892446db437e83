package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.result.UpdateResult;
import org.bson.BsonDocument;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockStoreException;

/**
 * The collection that holds the locks, in the form that every request needs: on the
 * primary, whatever the application's client says, and with a timeout of its own.
 * Thread-safe.
 */
final class LockCollection {

	/**
	 * Timeouts are settings, so there are few; a caller who makes up more gets no cache.
	 */
	private static final int MAX_VARIANTS = 64;

	private final MongoOperations template;

	private final String name;

	private final MongoCollection<BsonDocument> locks;

	private final Map<Variant, MongoCollection<BsonDocument>> variants = new ConcurrentHashMap<>();

	LockCollection(MongoOperations template, String name) {
		this.template = template;
		this.name = name;
		this.locks = Objects.requireNonNull(template.execute(name,
				(collection) -> collection.withDocumentClass(BsonDocument.class)
					.withReadPreference(ReadPreference.primary())
					.withReadConcern(ReadConcern.DEFAULT)));
	}

	/**
	 * Send a request.
	 * @param concern how sure a write must be
	 * @throws LockStoreException if it failed
	 */
	<T> T execute(StoreRequest request, WriteConcern concern, Function<MongoCollection<BsonDocument>, T> action) {
		try {
			return action.apply(with(concern, request.timeoutMillis()));
		}
		catch (LockStoreException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw StoreFailures.explain(request, this.name, ex);
		}
	}

	/**
	 * The collection for one kind of request.
	 * @param concern how sure a write must be
	 * @param timeoutMillis how long the request may take
	 */
	MongoCollection<BsonDocument> with(WriteConcern concern, long timeoutMillis) {
		Variant variant = new Variant(concern, timeoutMillis);
		MongoCollection<BsonDocument> known = this.variants.get(variant);
		if (known != null) {
			return known;
		}
		MongoCollection<BsonDocument> made = this.locks.withWriteConcern(concern)
			.withTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
		if (this.variants.size() < MAX_VARIANTS) {
			this.variants.put(variant, made);
		}
		return made;
	}

	/**
	 * Update a document as part of a transaction of the application, by which alone the
	 * timeout and the write concern are those.
	 * @throws IllegalStateException if the session is of another client
	 */
	UpdateResult update(ClientSession session, BsonDocument filter, BsonDocument update) {
		try {
			return this.locks.updateOne(session, filter, update);
		}
		catch (IllegalStateException ex) {
			// Not sent: the driver says so of the session
			throw new IllegalStateException("The lock collection " + this.locks.getNamespace()
					+ " cannot take part in this transaction. Its MongoClient has to be that of the transaction: "
					+ "use one MongoClient for both, or keep the locks where the transaction's data is, with "
					+ "mongo-lock.mongo-template. The driver says: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Whether the collection is reached through a mongos.
	 * @param timeout how long the question may take
	 */
	boolean isSharded(Duration timeout) {
		Document hello = this.template
			.execute((database) -> database.withTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
				.runCommand(new Document("hello", 1), ReadPreference.primary()));
		return hello != null && "isdbgrid".equals(hello.get("msg"));
	}

	String name() {
		return this.name;
	}

	private record Variant(WriteConcern concern, long timeoutMillis) {

	}

}
