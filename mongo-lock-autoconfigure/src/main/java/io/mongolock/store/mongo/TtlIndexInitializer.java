package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

/**
 * Sees to the index that removes documents of locks nobody asked for any more. Locks work
 * without it; so whatever is wrong with it is one warning with the command that repairs
 * it, and never an exception.
 */
public final class TtlIndexInitializer {

	private static final Log logger = LogFactory.getLog(TtlIndexInitializer.class);

	/** Start-up must not wait for a server that does not answer. */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final BsonDocument KEYS = new BsonDocument("touchedAt", new BsonInt32(1));

	/** What the server compares besides the keys; others would make it another index. */
	private static final List<String> RESTRICTIONS = List.of("partialFilterExpression", "sparse", "collation",
			"unique");

	private final MongoOperations template;

	private final String collection;

	private final Mode mode;

	private final long seconds;

	/**
	 * Create a new initializer.
	 * @param template a template that never joins a session or transaction of the caller
	 * @param collection the name of the collection
	 * @param mode what to do
	 * @param retention how long a document stays after it was last touched; from 1 second
	 * to about 68 years, fractions of a second are cut off
	 */
	public TtlIndexInitializer(MongoOperations template, String collection, Mode mode, Duration retention) {
		this.seconds = retention.toSeconds();
		if (this.seconds < 1 || this.seconds > Integer.MAX_VALUE) {
			throw new IllegalArgumentException("The retention of lock documents is " + retention
					+ ": it must be between 1 and " + Integer.MAX_VALUE + " seconds");
		}
		this.template = template;
		this.collection = collection;
		this.mode = mode;
	}

	/**
	 * Create or validate the index; returns after a few seconds even if the server does
	 * not answer.
	 */
	public void initialize() {
		if (this.mode == Mode.NONE) {
			return;
		}
		try {
			this.template.execute(this.collection, (locks) -> {
				initialize(locks.withDocumentClass(BsonDocument.class)
					.withWriteConcern(WriteConcern.MAJORITY)
					.withTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
				return null;
			});
		}
		catch (RuntimeException ex) {
			String detail = StoreFailures
				.explain(StoreRequest.read("check the index", "touchedAt", TIMEOUT), this.collection, ex)
				.getMessage();
			warn("could not be " + ((this.mode != Mode.CREATE) ? "validated" : "created") + ": " + detail, create());
		}
	}

	private void initialize(MongoCollection<BsonDocument> locks) {
		BsonDocument index = existing(locks);
		if (index == null && this.mode == Mode.CREATE) {
			locks.createIndex(KEYS, new IndexOptions().expireAfter(this.seconds, TimeUnit.SECONDS));
		}
		else if (index == null) {
			warn("is missing", create());
		}
		else {
			validate(index);
		}
	}

	private static @Nullable BsonDocument existing(MongoCollection<BsonDocument> locks) {
		for (BsonDocument index : locks.listIndexes(BsonDocument.class)) {
			if (index.get("key") instanceof BsonDocument keys && keys.keySet().equals(KEYS.keySet())
					&& isAscending(keys.get("touchedAt"))) {
				return index;
			}
		}
		return null;
	}

	private static boolean isAscending(@Nullable BsonValue direction) {
		return direction != null && direction.isNumber() && direction.asNumber().intValue() == 1;
	}

	private void validate(BsonDocument index) {
		String name = (index.get("name") instanceof BsonString text) ? text.getValue() : "touchedAt_1";
		List<String> restrictions = RESTRICTIONS.stream().filter(index::containsKey).toList();
		BsonValue expiry = index.get("expireAfterSeconds");
		if (!restrictions.isEmpty() || expiry == null || !expiry.isNumber()) {
			warn("exists as '" + name + "', but "
					+ ((restrictions.isEmpty()) ? "never removes anything" : "with " + String.join(", ", restrictions)),
					locks() + ".dropIndex(" + quoted(name) + "); " + create());
		}
		else if (expiry.asNumber().longValue() != this.seconds) {
			warn("exists as '" + name + "' with expireAfterSeconds " + expiry.asNumber().longValue() + " instead of "
					+ this.seconds,
					"db.runCommand({collMod: " + quoted(this.collection) + ", index: {name: " + quoted(name)
							+ ", expireAfterSeconds: " + this.seconds + "}})");
		}
	}

	private void warn(String problem, String command) {
		logger.warn("The TTL index on 'touchedAt' of the lock collection '" + this.collection + "' " + problem
				+ ". Locks work without it, but documents of unused keys stay. To repair it run in mongosh: "
				+ command);
	}

	private String create() {
		return locks() + ".createIndex({touchedAt: 1}, {expireAfterSeconds: " + this.seconds + "})";
	}

	private String locks() {
		return "db.getCollection(" + quoted(this.collection) + ")";
	}

	private static String quoted(String name) {
		return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
	}

	/**
	 * What to do about the index at start.
	 */
	public enum Mode {

		/**
		 * Create it if it is missing.
		 */
		CREATE,

		/**
		 * Only warn if it is missing.
		 */
		VALIDATE,

		/**
		 * Do not look.
		 */
		NONE

	}

}
