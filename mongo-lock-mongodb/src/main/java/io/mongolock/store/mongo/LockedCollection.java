package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.StoredLock;

/**
 * A collection of the application whose documents have their locks in a field. Its store
 * maps keys to documents. The field has the content of a {@link MongoLockStore} document,
 * but no queue. The queue is in {@link LockedCollectionQueues}, because a write to a
 * document fails the transactions that are about to save it. A document is never created.
 * Thread-safe; the version is guarded by the monitor.
 */
public final class LockedCollection {

	/** The error of an expression that got something other than a document. */
	private static final int NO_DOCUMENT = 40400;

	/** The error CommandNotSupportedOnView; a time series is a view, too. */
	private static final int NO_COLLECTION = 166;

	/** The error of an update that would exceed 16 MB. */
	private static final int TOO_LARGE = 17419;

	private static final FindOneAndUpdateOptions AFTER = new FindOneAndUpdateOptions()
		.returnDocument(ReturnDocument.AFTER);

	private static final Collation BY_BYTES = Collation.builder().locale("simple").build();

	private static final BsonDocument NEVER_LOCKED = BsonDocument.parse("{holders: [], queue: [], fence: 0}");

	private final PrimaryCollection documents;

	private final String field;

	private final Documents keys;

	private final TokenCommands leases;

	private final LockStatements statements;

	private final BsonDocument lockFields;

	private final UnreadableLocks unreadable = new UnreadableLocks();

	private @Nullable String version;

	private volatile ClaimPipeline claims;

	/**
	 * Create for a collection.
	 * @param template a template that never joins a session or transaction of the caller:
	 * its session synchronization is {@code NEVER}
	 * @param field the field that keeps the lock
	 */
	public LockedCollection(MongoOperations template, String collection, String field, Documents keys) {
		this.documents = new PrimaryCollection(template, collection);
		this.field = field;
		this.keys = keys;
		this.statements = new LockStatements(field + ".");
		this.leases = new TokenCommands(this.documents, this.statements, keys::id);
		this.lockFields = this.statements.projection(field);
		this.claims = new ClaimPipeline(field, null);
	}

	/**
	 * Name the version field of the documents, which each grant increments.
	 * @throws IllegalArgumentException if another field is already their version
	 */
	public synchronized void version(String version) {
		if (this.version != null && !this.version.equals(version)) {
			throw new IllegalArgumentException("Some documents of the collection '" + this.documents.name()
					+ "' keep their version in '" + this.version + "', and others in '" + version
					+ "', so each grant would have to raise two versions. With @Field, give the version property the "
					+ "same field name in all classes");
		}
		if (this.version == null) {
			this.claims = new ClaimPipeline(this.field, version);
			this.version = version;
		}
	}

	/**
	 * The requests that name a lease by its token.
	 */
	public TokenCommands leases() {
		return this.leases;
	}

	/**
	 * Claim a lock, as {@link io.mongolock.store.LockStore#acquire} does, but never enter
	 * a queue. The answer has no queue. A grant has the whole document as its content.
	 * @throws LockStoreException as {@link Documents#missing} makes it if there is no
	 * such document
	 */
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		return acquire(claim, this.claims.of(claim), false, timeout);
	}

	/**
	 * Claim a lock, as {@link #acquire} does, but do not wait for a transaction that has
	 * written the document. While that transaction is open, the lock is not free.
	 * @param replaced the fence of a grant to replace even if it is still live, so that
	 * no other claim comes between; zero for none
	 * @throws LockStoreException as {@link #acquire} does
	 */
	public ClaimAnswer acquireAtOnce(Claim claim, long replaced, Duration timeout) {
		try {
			return acquire(claim, (replaced != 0) ? this.claims.replacing(claim, replaced) : this.claims.of(claim),
					true, timeout);
		}
		catch (LockStoreException ex) {
			if (code(ex) == PrimaryCollection.WRITE_CONFLICT) {
				return look(claim.id().key(), timeout);
			}
			throw ex;
		}
	}

	private ClaimAnswer acquire(Claim claim, List<BsonDocument> statement, boolean atOnce, Duration timeout) {
		StoreRequest request = StoreRequest.write("lock document", claim.id().key(), timeout);
		Answer answer = ask(request, claim, statement, atOnce);
		refuseOther(request, claim, answer.document());
		StoredLock lock = lock(answer.document(), answer.now()).toLock(request, claim, false, this.documents.name());
		return new ClaimAnswer(lock.withQueue(List.of(), HiddenPlaces.UNSEEN), answer.document(), false);
	}

	// Otherwise one document would have two locks and two queues in this JVM
	private void refuseOther(StoreRequest request, Claim claim, BsonDocument found) {
		BsonValue asked = this.keys.id(request.key());
		BsonValue own = Objects.requireNonNull(found.get("_id"));
		if (!isSameText(asked, own)) {
			this.leases.release(claim.id(), request.timeout());
			throw new LockStoreException(request.key(), Outcome.REFUSED,
					"Could not lock document '" + KeyText.printable(request.key()) + "', because the collection '"
							+ this.documents.name() + "' has a collation, which makes this id equal to the stored id '"
							+ KeyText.printable(this.keys.key(own)) + "'. Use the stored id to lock the document",
					null);
		}
	}

	private static boolean isSameText(BsonValue asked, BsonValue own) {
		if (asked instanceof BsonDocument of && own instanceof BsonDocument in) {
			return of.entrySet()
				.stream()
				.allMatch((part) -> isSameText(part.getValue(), in.get(part.getKey(), BsonNull.VALUE)));
		}
		return !asked.isString() || asked.equals(own);
	}

	private Answer ask(StoreRequest request, Claim claim, List<BsonDocument> statement, boolean atOnce) {
		BsonDocument filter = this.leases.byId(request.key());
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis());
		try {
			return this.documents.execute(request, WriteConcern.MAJORITY, (documents) -> {
				Optional<BsonDocument> changed = (atOnce)
						? this.documents.updateAtOnce(filter, statement, request.timeoutMillis()) : Optional.empty();
				BsonDocument found = (changed.isPresent()) ? changed.get()
						: required(documents.findOneAndUpdate(filter, statement, AFTER), request);
				BsonValue written = writtenAt(claim, found);
				if (written != null) {
					return new Answer(found, written);
				}
				long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
				return new Answer(found, now(documents.withTimeout(left, TimeUnit.MILLISECONDS), filter, request));
			});
		}
		catch (LockStoreException ex) {
			throw (ex.getOutcome() == Outcome.REFUSED) ? explained(request, ex) : ex;
		}
	}

	// A statement that enters a lease stores the server's time. One that changes nothing
	// does not tell it
	private @Nullable BsonValue writtenAt(Claim claim, BsonDocument found) {
		BsonDocument lock = fields(found);
		boolean written = claim.first() && new LockDocument(lock).mentions(claim.id().leaseToken());
		return (written) ? lock.get(LockDocument.TOUCHED_AT) : null;
	}

	private @Nullable BsonValue now(MongoCollection<BsonDocument> documents, BsonDocument filter,
			StoreRequest request) {
		@Nullable BsonDocument found;
		try {
			found = documents.find(filter).projection(this.lockFields).first();
		}
		catch (RuntimeException ex) {
			// The look failed, but the claim before it may have been granted
			throw new LockStoreException(request.key(), Outcome.UNKNOWN,
					"Could not " + request + ". It is unknown whether the request was executed, because the server's "
							+ "time could not be read: " + DriverMessage.of(ex),
					StoreFailures.explain(request, this.documents.name(), ex));
		}
		return required(found, request).get(LockDocument.NOW);
	}

	/**
	 * Look at a lock on behalf of a claim.
	 * @throws LockStoreException as {@link #acquire} does
	 */
	public ClaimAnswer look(String key, Duration timeout) {
		return new ClaimAnswer(find(key, timeout).orElseThrow(() -> this.keys.missing(key)));
	}

	/**
	 * Load a locked document.
	 * @return the whole document, empty if the lease is gone
	 */
	public Optional<BsonDocument> load(LeaseId lease, Duration timeout) {
		return this.documents.findOne(StoreRequest.read("load document", lease.key(), timeout), this.leases.held(lease),
				null);
	}

	/**
	 * Look at a lock, as {@link io.mongolock.store.LockStore#find} does, but without its
	 * queue.
	 * @return the lock, or empty if there is no such document
	 */
	public Optional<StoredLock> find(String key, Duration timeout) {
		StoreRequest request = StoreRequest.read("look at lock", key, timeout);
		return this.documents.findOne(request, this.leases.byId(key), this.lockFields)
			.map((found) -> read(request, found));
	}

	/**
	 * Look at locks of this collection, as {@link io.mongolock.store.LockStore#findAll}
	 * does, but without their queues.
	 */
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		StoreRequest request = StoreRequest.read(StoreRequest.ofLocks("look at", keys.size()), keys.get(0), timeout);
		BsonDocument filter = this.statements.byIds(keys.stream().map(this.keys::id).toList());
		return this.documents.execute(request, WriteConcern.MAJORITY,
				(documents) -> LockQueries.first(keys.size(), documents.find(filter).projection(this.lockFields),
						(found) -> this.unreadable.leaveOut(() -> read(request, found))));
	}

	/**
	 * The held documents, in the order of their ids: by type, and texts by their bytes.
	 * Reads the whole collection unless there is an index on {@code holders.0} of the
	 * field.
	 * @param filter the locks to list
	 * @param text the start of ids that are texts, empty for all
	 * @param after the id after which to begin, {@code null} for all
	 * @param most the largest number to list
	 */
	public List<StoredLock> list(LockFilter filter, String text, @Nullable BsonValue after, int most,
			Duration timeout) {
		BsonDocument held = this.statements.held();
		if (!text.isEmpty()) {
			held.putAll(this.statements.withinTexts(text));
		}
		List<BsonDocument> behind = (after != null) ? List.of(LockStatements.isBehind(after)) : List.of();
		if (!filter.isOfHolders()) {
			return list(filter, where(held, behind), most, timeout);
		}
		List<BsonDocument> narrow = new ArrayList<>(behind);
		narrow.add(this.statements.hasHolder(filter));
		return LockQueries.unlessRefused(where(held, narrow), where(held, behind), timeout,
				(where, left) -> list(filter, where, most, left));
	}

	private static BsonDocument where(BsonDocument held, List<BsonDocument> conditions) {
		return (conditions.isEmpty()) ? held
				: held.clone().append("$expr", new BsonDocument("$and", new BsonArray(conditions)));
	}

	private List<StoredLock> list(LockFilter filter, BsonDocument where, int most, Duration timeout) {
		StoreRequest request = StoreRequest.read("list locked documents of '" + this.documents.name() + "'", "",
				timeout);
		return this.documents.execute(request, WriteConcern.MAJORITY,
				(documents) -> LockQueries.first(most,
						documents.find(where).sort(LockQueries.BY_ID).collation(BY_BYTES).projection(this.lockFields),
						(found) -> this.unreadable.leaveOut(() -> read(request, found))
							.filter((lock) -> lock.key().startsWith(filter.prefix()) && filter.matches(lock))));
	}

	private StoredLock read(StoreRequest request, BsonDocument found) {
		String key = this.keys.key(Objects.requireNonNull(found.get("_id")));
		return lock(found, found.get(LockDocument.NOW)).read(StoreRequest.read("read lock", key, request.timeout()),
				this.documents.name(), (lock) -> lock.toLock(key));
	}

	private LockDocument lock(BsonDocument found, @Nullable BsonValue now) {
		BsonDocument fields = NEVER_LOCKED.clone();
		fields.putAll(fields(found));
		return new LockDocument((now != null) ? fields.append(LockDocument.NOW, now) : fields);
	}

	private BsonDocument fields(BsonDocument found) {
		return (found.get(this.field) instanceof BsonDocument lock) ? lock.clone() : new BsonDocument();
	}

	private BsonDocument required(@Nullable BsonDocument found, StoreRequest request) {
		if (found == null) {
			throw this.keys.missing(request.key());
		}
		return found;
	}

	private LockStoreException explained(StoreRequest request, LockStoreException failure) {
		String why = switch (code(failure)) {
			case NO_DOCUMENT -> "the lock is kept in the document's field '" + this.field
					+ "', but this field holds other data. " + this.keys.otherField();
			case NO_COLLECTION -> "'" + this.documents.name() + "' is a view or a time series, and its documents "
					+ "cannot be changed. Lock the documents in the underlying collection";
			case TOO_LARGE -> "the document is almost as large as MongoDB allows (16 MB), so the lock, which needs "
					+ "less than 4 KB, does not fit. Move a part of the data into another document";
			default -> "";
		};
		return (why.isEmpty()) ? failure : new LockStoreException(request.key(), Outcome.REFUSED,
				"Could not lock document '" + KeyText.printable(request.key()) + "', because " + why, failure);
	}

	private static int code(LockStoreException failure) {
		return (StoreFailures.nativeFailure(failure) instanceof MongoException answer) ? answer.getCode() : -1;
	}

	/**
	 * Maps keys to the documents of a collection, and explains failures on them.
	 */
	public interface Documents {

		/**
		 * The document of a key.
		 * @return the document's id
		 * @throws IllegalArgumentException if the key denotes no id
		 */
		BsonValue id(String key);

		/**
		 * The key of a document.
		 */
		String key(BsonValue id);

		/**
		 * The failure of a claim for a document that does not exist.
		 */
		LockStoreException missing(String key);

		/**
		 * Advice for a document whose lock field has other content.
		 * @return a sentence without its full stop
		 */
		String otherField();

	}

	/**
	 * A document after a claim.
	 *
	 * @param document the document
	 * @param now the server's time
	 */
	private record Answer(BsonDocument document, @Nullable BsonValue now) {

	}

}
