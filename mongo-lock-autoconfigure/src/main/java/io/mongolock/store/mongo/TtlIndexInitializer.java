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

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;

/**
 * Sees to the index that removes documents of locks nobody asked for any more. Locks work
 * without it; so whatever is wrong with it is one warning with the command that repairs
 * it, and never an exception. Thread-safe.
 */
public final class TtlIndexInitializer {

	private static final Log logger = LogFactory.getLog(TtlIndexInitializer.class);

	/** Start-up must not wait for a server that does not answer. */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final BsonDocument KEYS = new BsonDocument("touchedAt", new BsonInt32(1));

	/** Options that the server compares besides the keys: they make it another index. */
	private static final List<String> RESTRICTIONS = List.of("partialFilterExpression", "sparse", "collation",
			"unique");

	private final MongoOperations template;

	private final String collection;

	private final Mode mode;

	private final long seconds;

	private boolean found;

	private @Nullable String reported;

	/**
	 * Create a new initializer.
	 * @param template a template that never joins a session or transaction of the caller
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
	 * not answer. Only a change since the last look is reported again.
	 * @return whether the server answered; if not, it is worth another try soon
	 */
	public synchronized boolean initialize() {
		if (this.mode == Mode.NONE) {
			return true;
		}
		try {
			this.template.execute(this.collection, (locks) -> {
				initialize(locks.withDocumentClass(BsonDocument.class)
					.withWriteConcern(WriteConcern.MAJORITY)
					.withTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
				return null;
			});
			return true;
		}
		catch (RuntimeException ex) {
			return failed(StoreFailures.explain(StoreRequest.read(StoreRequest.INDEX, "touchedAt", TIMEOUT),
					this.collection, ex));
		}
	}

	boolean isNeeded() {
		return this.mode != Mode.NONE;
	}

	private boolean failed(LockStoreException failure) {
		boolean refused = failure.getOutcome() == Outcome.REFUSED;
		if (!Thread.currentThread().isInterrupted()) {
			// An application that ends interrupts its threads
			String what = "could not be " + ((this.mode != Mode.CREATE) ? "validated" : "created");
			if (refused) {
				warn(what, what + ": " + failure.getMessage(), create());
			}
			else if (!what.equals(this.reported)) {
				this.reported = what;
				// Nobody has to repair an index when there is no server
				logger.warn("MongoDB has not answered: " + failure.getMessage() + ". No lock is granted until it does; "
						+ describe("is looked at again then"));
			}
		}
		return refused;
	}

	private void initialize(MongoCollection<BsonDocument> locks) {
		BsonDocument index = existing(locks);
		if (index == null && this.mode == Mode.CREATE) {
			locks.createIndex(KEYS, new IndexOptions().expireAfter(this.seconds, TimeUnit.SECONDS));
			if (this.found) {
				logger.info(describe("was gone and has been created again"));
			}
			good();
		}
		else if (index == null) {
			warn("is missing", "is missing", create());
		}
		else {
			validate(index);
		}
	}

	private void good() {
		if (this.reported != null) {
			logger.info(describe("is as it should be now"));
		}
		this.reported = null;
		this.found = true;
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
			String problem = "exists as '" + name + "', but "
					+ ((restrictions.isEmpty()) ? "never removes anything" : "with " + String.join(", ", restrictions));
			warn(problem, problem, locks() + ".dropIndex(" + quoted(name) + "); " + create());
		}
		else if (expiry.asNumber().longValue() != this.seconds) {
			String problem = "exists as '" + name + "' with expireAfterSeconds " + expiry.asNumber().longValue()
					+ " instead of " + this.seconds;
			warn(problem, problem, "db.runCommand({collMod: " + quoted(this.collection) + ", index: {name: "
					+ quoted(name) + ", expireAfterSeconds: " + this.seconds + "}})");
		}
		else {
			good();
		}
	}

	private void warn(String problem, String detail, String command) {
		if (problem.equals(this.reported)) {
			return;
		}
		this.reported = problem;
		logger.warn(describe(detail)
				+ ". Locks work without it, but documents of unused keys stay. To repair it run in mongosh: "
				+ command);
	}

	private String describe(String state) {
		return "The TTL index on 'touchedAt' of the lock collection '" + this.collection + "' " + state;
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
	 * The task of the initializer.
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
