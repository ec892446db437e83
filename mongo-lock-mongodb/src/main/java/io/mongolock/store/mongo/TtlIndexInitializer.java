package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoDatabase;
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

/**
 * Takes care of the TTL index that removes the documents of unused locks. Locks work
 * without this index, but not with one that removes documents too soon. A wrong index
 * leads to one warning with the command that repairs it, and never to an exception.
 * Thread-safe.
 */
public final class TtlIndexInitializer {

	private static final Log logger = LogFactory.getLog(TtlIndexInitializer.class);

	/** Start-up must not wait for a server that does not answer. */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** NamespaceNotFound. */
	private static final int NO_COLLECTION = 26;

	private static final BsonDocument KEYS = new BsonDocument("touchedAt", new BsonInt32(1));

	/**
	 * The server compares these options besides the keys. An index with one of them is a
	 * different index.
	 */
	private static final List<String> RESTRICTIONS = List.of("partialFilterExpression", "sparse", "collation",
			"unique");

	private final PrimaryCollection locks;

	private final String collection;

	private final Mode mode;

	private final long seconds;

	private final Supplier<Duration> longestLease;

	private boolean found;

	private boolean plain;

	private @Nullable String reported;

	private List<BsonDocument> others = List.of();

	/**
	 * Create a new initializer.
	 * @param template a template that never joins a session or transaction of the caller
	 * @param retention how long a document stays after it was last touched; from 1 second
	 * to about 68 years, fractions of a second are dropped
	 * @param longestLease the longest time, as known at a look, for which a lock may be
	 * held or kept without being touched
	 */
	public TtlIndexInitializer(MongoOperations template, String collection, Mode mode, Duration retention,
			Supplier<Duration> longestLease) {
		this.seconds = retention.toSeconds();
		if (this.seconds < 1 || this.seconds > Integer.MAX_VALUE) {
			throw new IllegalArgumentException("The retention of lock documents is " + retention + ", but must be "
					+ "between 1 and " + Integer.MAX_VALUE + " seconds");
		}
		this.locks = new PrimaryCollection(template, collection);
		this.collection = collection;
		this.mode = mode;
		this.longestLease = longestLease;
	}

	/**
	 * Create or validate the index. Returns after a few seconds even if the server does
	 * not answer. A finding is reported again only if it has changed since the last look.
	 * @return whether the server answered; if not, try again soon
	 */
	public synchronized boolean initialize() {
		if (this.mode == Mode.NONE) {
			return true;
		}
		this.plain = false;
		try {
			initialize(this.locks.within(TIMEOUT.toMillis()).withWriteConcern(WriteConcern.MAJORITY));
			return true;
		}
		catch (RuntimeException ex) {
			return failed(ex, StoreFailures.explain(StoreRequest.read(StoreRequest.INDEX, "touchedAt", TIMEOUT),
					this.collection, ex));
		}
	}

	/**
	 * Whether the last look has found that the collection has no collation.
	 * @return {@code false} also if there was no look, or no answer
	 */
	public synchronized boolean hasSeenNoCollation() {
		return this.plain;
	}

	private boolean failed(RuntimeException thrown, LockStoreException failure) {
		boolean shutOut = StoreFailures.isShutOut(thrown);
		boolean answered = shutOut || StoreFailures.isAnswered(thrown);
		if (!Thread.currentThread().isInterrupted()) {
			// An application that ends interrupts its threads
			String what = "could not be " + ((this.mode != Mode.CREATE) ? "validated" : "created");
			if (answered && !shutOut) {
				warn(what, what + ": " + failure.getMessage(), without(create()));
			}
			else if (!(what + shutOut).equals(this.reported)) {
				this.reported = what + shutOut;
				// Without a server there is no index to repair
				logger.warn((shutOut)
						? "MongoDB refuses this application: " + failure.getMessage()
								+ ". No lock is granted until MongoDB accepts this application. "
								+ describe("is checked again within the hour")
						: "MongoDB has not answered: " + failure.getMessage()
								+ ". No lock is granted until MongoDB answers. " + describe("is checked again then"));
			}
		}
		return answered;
	}

	private void initialize(MongoDatabase database) {
		BsonDocument index = null;
		List<BsonDocument> indexes = indexes(database, this.collection);
		for (BsonDocument candidate : indexes) {
			if (collation(candidate) != null) {
				// An index does not help here, and locks are not kept in such a
				// collection
				return;
			}
			if (isOnTouchedAt(candidate)) {
				index = candidate;
			}
		}
		this.plain = true;
		if (index == null && this.mode == Mode.CREATE) {
			database.getCollection(this.collection)
				.createIndex(KEYS, new IndexOptions().expireAfter(this.seconds, TimeUnit.SECONDS));
			if (this.found) {
				logger.info(describe("was gone and has been created again"));
			}
			good();
		}
		else if (index == null) {
			warn("is missing", "is missing", without(create()));
		}
		else {
			validate(index);
		}
		List<BsonDocument> others = new ArrayList<>();
		for (BsonDocument other : indexes) {
			if (isDangerous(other)) {
				others.add(other);
				if (!this.others.contains(other)) {
					warnOf(other);
				}
			}
		}
		this.others = others;
	}

	private boolean isDangerous(BsonDocument other) {
		return other.isNumber("expireAfterSeconds") && !isOnTouchedAt(other)
				&& !(other.getDocument("key").containsKey("touchedAt")
						&& other.getNumber("expireAfterSeconds").longValue() >= leastSeconds());
	}

	private void warnOf(BsonDocument other) {
		logger.warn("The TTL index on " + other.getDocument("key").toJson() + " of the lock collection '"
				+ this.collection + "' does not belong to this library. This is urgent: MongoDB may delete locks while "
				+ "they are held. Run in mongosh: " + inShell() + ".dropIndex("
				+ quoted(other.getString("name").getValue()) + ")");
	}

	// The lower bound that ConfiguredSettings sets for the retention of this application
	private long leastSeconds() {
		return Math.max(1, this.longestLease.get().multipliedBy(2).toSeconds());
	}

	private void good() {
		if (this.reported != null) {
			logger.info(describe("is as it should be now"));
		}
		this.reported = null;
		this.found = true;
	}

	/**
	 * The indexes of a collection. This sends a command, as claims do, because the
	 * driver's own operation would load dozens of classes that nothing else needs.
	 * @return all indexes, because there are at most 64; none if there is no collection
	 */
	static List<BsonDocument> indexes(MongoDatabase database, String collection) {
		try {
			BsonDocument answer = database.runCommand(
					new BsonDocument("listIndexes", new BsonString(collection)).append("cursor", new BsonDocument()),
					ReadPreference.primary(), BsonDocument.class);
			List<BsonDocument> indexes = new ArrayList<>();
			for (BsonValue index : answer.getDocument("cursor").getArray("firstBatch")) {
				indexes.add(index.asDocument());
			}
			return indexes;
		}
		catch (MongoCommandException ex) {
			if (ex.getErrorCode() == NO_COLLECTION) {
				return List.of();
			}
			throw ex;
		}
	}

	/**
	 * The collation by which a collection compares ids. The index on the ids has it.
	 * @return words for a message; {@code null} if there is none, or if this is another
	 * index
	 */
	static @Nullable String collation(BsonDocument index) {
		return (index.get("key") instanceof BsonDocument keys && keys.containsKey("_id")
				&& index.get("collation") instanceof BsonDocument collation)
						? collation.getString("locale", new BsonString("?")).getValue() + ", strength "
								+ collation.getNumber("strength", new BsonInt32(3)).intValue()
						: null;
	}

	private static boolean isOnTouchedAt(BsonDocument index) {
		return index.get("key") instanceof BsonDocument keys && keys.keySet().equals(KEYS.keySet())
				&& keys.isNumber("touchedAt") && keys.getNumber("touchedAt").intValue() == 1;
	}

	private void validate(BsonDocument index) {
		String name = (index.get("name") instanceof BsonString text) ? text.getValue() : "touchedAt_1";
		List<String> restrictions = new ArrayList<>(RESTRICTIONS);
		restrictions.retainAll(index.keySet());
		long after = (index.isNumber("expireAfterSeconds")) ? index.getNumber("expireAfterSeconds").longValue()
				: Long.MAX_VALUE;
		if (!restrictions.isEmpty() || after == Long.MAX_VALUE) {
			String problem = "exists as '" + name + "', but " + ((restrictions.isEmpty())
					? "removes no documents, because it has no expireAfterSeconds"
					: "has the option" + ((restrictions.size() != 1) ? "s " : " ") + String.join(", ", restrictions));
			String replace = inShell() + ".dropIndex(" + quoted(name) + "); " + create();
			wrong(problem, after, without(replace), replace);
		}
		else if (after != this.seconds) {
			String change = "db.runCommand({collMod: " + quoted(this.collection) + ", index: {name: " + quoted(name)
					+ ", expireAfterSeconds: " + this.seconds + "}})";
			wrong("exists as '" + name + "' with expireAfterSeconds " + after + " instead of " + this.seconds, after,
					". Locks work, but documents of unused keys "
							+ ((after > this.seconds) ? "stay longer than set. " : "are removed sooner than set. ")
							+ "Set mongo-lock.ttl-index.retention to the same value in all applications that share "
							+ "this collection, and choose the longest retention that any of these applications needs. "
							+ "If this application has the right value, run in mongosh: " + change,
					change);
		}
		else {
			good();
		}
	}

	private void wrong(String problem, long after, String harmless, String repair) {
		long least = leastSeconds();
		if (after < least) {
			warn(problem + least, problem,
					". This is urgent: MongoDB may delete locks while they are held. expireAfterSeconds must be at "
							+ "least " + least
							+ ", which is twice the longest ttl or min-hold of this application. Run in mongosh: "
							+ repair
							+ ". If another application changes the index back, set mongo-lock.ttl-index.retention to "
							+ "the same value in all applications that share this collection, and choose the longest "
							+ "retention that any of these applications needs");
		}
		else {
			warn(problem, problem, harmless);
		}
	}

	private void warn(String problem, String detail, String consequence) {
		if (!problem.equals(this.reported)) {
			this.reported = problem;
			logger.warn(describe(detail) + consequence);
		}
	}

	private static String without(String repair) {
		return ". Locks work without this index, but MongoDB does not remove documents of unused keys. To repair the "
				+ "index, run in mongosh: " + repair;
	}

	private String describe(String state) {
		return "The TTL index on 'touchedAt' of the lock collection '" + this.collection + "' " + state;
	}

	private String create() {
		return inShell() + ".createIndex({touchedAt: 1}, {expireAfterSeconds: " + this.seconds + "})";
	}

	private String inShell() {
		return "db.getCollection(" + quoted(this.collection) + ")";
	}

	private static String quoted(String name) {
		return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
	}

	/**
	 * The initializer's task.
	 */
	public enum Mode {

		/**
		 * Create the index if it is missing.
		 */
		CREATE,

		/**
		 * Only warn if the index is missing.
		 */
		VALIDATE,

		/**
		 * Do not look at the index.
		 */
		NONE

	}

}
