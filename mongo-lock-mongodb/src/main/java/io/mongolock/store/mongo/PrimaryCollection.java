package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoClientException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.result.UpdateResult;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;

/**
 * A collection as every request needs it: on the primary, whatever the application's
 * client is set to, and with a timeout of its own. It holds the locks, or other documents
 * of a store. Thread-safe.
 */
final class PrimaryCollection {

	/**
	 * The error of a statement in a transaction if another transaction has written the
	 * document.
	 */
	static final int WRITE_CONFLICT = 112;

	/**
	 * How often the transaction is tried. A short write of another client must not lead
	 * to a denial, but the end of a long transaction is not awaited.
	 */
	private static final int AT_ONCE = 3;

	private static final FindOneAndUpdateOptions AFTER = new FindOneAndUpdateOptions()
		.returnDocument(ReturnDocument.AFTER);

	/**
	 * For how long we trust a server's answer about its kind, because a server may be
	 * replaced.
	 */
	private static final long SAME_KIND = TimeUnit.SECONDS.toNanos(30);

	private final String name;

	private final MongoCollection<BsonDocument> locks;

	private final MongoDatabase database;

	private final LockClock clock;

	private final @Nullable MongoDatabaseFactory sessions;

	private volatile @Nullable Hello hello;

	PrimaryCollection(MongoOperations template, String name) {
		this(template, name, LockClock.system());
	}

	PrimaryCollection(MongoOperations template, String name, LockClock clock) {
		this.name = name;
		this.clock = clock;
		this.locks = Objects.requireNonNull(template.execute(name,
				(collection) -> collection.withDocumentClass(BsonDocument.class)
					.withReadPreference(ReadPreference.primary())
					.withReadConcern(ReadConcern.DEFAULT)));
		this.database = Objects.requireNonNull(template.execute((DbCallback<MongoDatabase>) (database) -> database));
		this.sessions = (template instanceof MongoTemplate own) ? own.getMongoDatabaseFactory() : null;
	}

	/**
	 * Send a request.
	 * @param concern the write concern
	 * @throws LockStoreException if it failed
	 */
	<T> T execute(StoreRequest request, WriteConcern concern, Function<MongoCollection<BsonDocument>, T> action) {
		return execute(request, () -> action.apply(with(concern, request.timeoutMillis())));
	}

	/**
	 * Send a request that uses methods of this class.
	 * @throws LockStoreException if it failed
	 */
	<T> T execute(StoreRequest request, Supplier<T> action) {
		try {
			return action.get();
		}
		catch (LockStoreException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw StoreFailures.explain(request, this.name, ex);
		}
	}

	/**
	 * Read one document.
	 * @param fields the fields to answer, all if {@code null}
	 * @throws LockStoreException if it failed
	 */
	Optional<BsonDocument> findOne(StoreRequest request, BsonDocument filter, @Nullable BsonDocument fields) {
		return execute(request, WriteConcern.MAJORITY,
				(locks) -> Optional.ofNullable(locks.find(filter).projection(fields).first()));
	}

	/**
	 * The collection for one kind of request.
	 * @param concern the write concern
	 * @param timeoutMillis how long the request may take
	 */
	MongoCollection<BsonDocument> with(WriteConcern concern, long timeoutMillis) {
		return this.locks.withWriteConcern(concern).withTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
	}

	/**
	 * Change one document, or create it, and answer it. The driver neither numbers nor
	 * repeats this command: for a numbered command the server would keep a copy of the
	 * document (DESIGN.md has the cost). So the command must be harmless when executed
	 * twice, and the sender repeats it by a {@link RepeatedCommand}.
	 * @param fields the fields to answer
	 * @return the changed document, empty if the server answers none
	 */
	BsonDocument upsert(BsonDocument filter, List<BsonDocument> pipeline, BsonDocument fields, WriteConcern concern,
			long timeoutMillis) {
		return findAndModify(filter, new BsonArray(pipeline), concern, timeoutMillis,
				new BsonDocument("new", BsonBoolean.TRUE).append("upsert", BsonBoolean.TRUE).append("fields", fields));
	}

	/**
	 * Change one document if it exists, and answer its state before. Like {@link #upsert}
	 * this is not repeated.
	 * @param fields the fields to answer
	 * @return the document, empty if there is none
	 */
	BsonDocument updateAndGetBefore(BsonDocument filter, BsonDocument update, BsonDocument fields, WriteConcern concern,
			long timeoutMillis) {
		return findAndModify(filter, update, concern, timeoutMillis, new BsonDocument("fields", fields));
	}

	/**
	 * Change one document if it exists, and answer it. Like {@link #upsert} this is not
	 * repeated.
	 * @param fields the fields to answer
	 * @return the changed document, empty if there is none
	 */
	BsonDocument update(BsonDocument filter, BsonValue update, BsonDocument fields, WriteConcern concern,
			long timeoutMillis) {
		return findAndModify(filter, update, concern, timeoutMillis,
				new BsonDocument("new", BsonBoolean.TRUE).append("fields", fields));
	}

	private BsonDocument findAndModify(BsonDocument filter, BsonValue update, WriteConcern concern, long timeoutMillis,
			BsonDocument options) {
		BsonDocument command = new BsonDocument("findAndModify", new BsonString(this.name)).append("query", filter)
			.append("update", update);
		command.putAll(options);
		BsonDocument answer = run(command.append("writeConcern", concern.asDocument()), timeoutMillis);
		return (answer.get("value") instanceof BsonDocument document) ? document : new BsonDocument();
	}

	/**
	 * Send a command, which the driver neither numbers nor repeats.
	 */
	BsonDocument run(BsonDocument command, long timeoutMillis) {
		BsonDocument answer = within(timeoutMillis).runCommand(command, ReadPreference.primary(), BsonDocument.class);
		if (answer.containsKey("writeConcernError")) {
			throw unconfirmed(answer.getDocument("writeConcernError"));
		}
		return answer;
	}

	// The driver looks for a write concern error only in the answers of its own
	// operations
	private static MongoException unconfirmed(BsonDocument error) {
		return new MongoException(error.getNumber("code", new BsonInt32(-1)).intValue(),
				"The write was not confirmed: " + error.getString("errmsg", new BsonString("")).getValue());
	}

	/**
	 * The database for requests with one timeout.
	 */
	MongoDatabase within(long timeoutMillis) {
		return this.database.withTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
	}

	/**
	 * Update a document in a transaction of the application. That transaction alone sets
	 * the timeout and the write concern.
	 * @throws IllegalStateException if the session belongs to another client
	 */
	UpdateResult update(ClientSession session, BsonDocument filter, BsonDocument update) {
		try {
			return this.locks.updateOne(session, filter, update);
		}
		catch (IllegalStateException ex) {
			// Not sent: the driver refuses the session
			throw new IllegalStateException("The lock collection " + namespace()
					+ " cannot take part in this transaction, because the transaction belongs to another MongoClient. "
					+ "Use the same MongoClient for the locks and the transaction, for example by naming the "
					+ "transaction's MongoTemplate in mongo-lock.mongo-template. The driver says: " + ex.getMessage(),
					ex);
		}
	}

	/**
	 * Change one document if it exists, in a transaction of its own. Outside a
	 * transaction a statement would wait for the end of a transaction that has written
	 * the document.
	 * @return the changed document; empty if there is none, or if the caller must send
	 * the statement without a transaction, for example because the server has none
	 * @throws MongoCommandException with {@link #WRITE_CONFLICT} if another transaction
	 * has written the document; then nothing was changed
	 */
	Optional<BsonDocument> updateAtOnce(BsonDocument filter, List<BsonDocument> pipeline, long timeoutMillis) {
		for (int i = 1; this.sessions != null; i++) {
			try (ClientSession session = this.sessions.getSession(ClientSessionOptions.builder().build())) {
				session.startTransaction(TransactionOptions.builder()
					.writeConcern(WriteConcern.MAJORITY)
					.readPreference(ReadPreference.primary())
					.timeout(timeoutMillis, TimeUnit.MILLISECONDS)
					.build());
				BsonDocument found = this.locks.findOneAndUpdate(session, filter, pipeline, AFTER);
				session.commitTransaction();
				return Optional.ofNullable(found);
			}
			catch (MongoCommandException ex) {
				if (ex.getErrorCode() != WRITE_CONFLICT) {
					return Optional.empty();
				}
				if (i == AT_ONCE) {
					throw ex;
				}
			}
			catch (MongoTimeoutException ex) {
				throw ex;
			}
			catch (MongoClientException ex) {
				// The driver throws this for a server without transactions
				return Optional.empty();
			}
		}
		return Optional.empty();
	}

	/**
	 * Whether the collection is reached through a mongos.
	 * @param timeout how long the question may take
	 */
	boolean isSharded(Duration timeout) {
		return new BsonString("isdbgrid").equals(hello(timeout).get("msg"));
	}

	/**
	 * Whether the collection is on a replica set, and not reached through a mongos.
	 * @param timeout how long the question may take
	 */
	boolean isOnReplicaSet(Duration timeout) {
		return hello(timeout).containsKey("setName");
	}

	private BsonDocument hello(Duration timeout) {
		long now = this.clock.nanoTime();
		Hello known = this.hello;
		if (known == null || now - known.askedAt() > SAME_KIND) {
			known = new Hello(run(new BsonDocument("hello", new BsonInt32(1)), timeout.toMillis()), now);
			this.hello = known;
		}
		return known.answer();
	}

	String name() {
		return this.name;
	}

	/**
	 * The names of the database and the collection, with a dot between them.
	 */
	String namespace() {
		return this.database.getName() + "." + this.name;
	}

	/**
	 * The server's answer about itself.
	 *
	 * @param askedAt when we asked, by the monotonic clock
	 */
	private record Hello(BsonDocument answer, long askedAt) {

	}

}
