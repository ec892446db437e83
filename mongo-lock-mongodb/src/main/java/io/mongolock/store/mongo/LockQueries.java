package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCursor;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.KeySpace;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * Looks at locks that have documents of their own. It changes nothing but the life of a
 * place in the queue. Thread-safe.
 */
final class LockQueries {

	static final BsonDocument BY_ID = new BsonDocument("_id", new BsonInt32(1));

	/** So many that a few useless documents do not each cost another request. */
	private static final int LEAST_BATCH = 100;

	private final PrimaryCollection locks;

	private final LockStatements statements;

	private final KeySpace keys;

	private final BsonDocument fields;

	private final UnreadableLocks unreadable = new UnreadableLocks();

	/**
	 * Create looks.
	 */
	LockQueries(PrimaryCollection locks, LockStatements statements, KeySpace keys) {
		this.locks = locks;
		this.statements = statements;
		this.keys = keys;
		this.fields = statements.projection("holders", "queue", "fence", "previous", LockDocument.RECALLED);
	}

	List<StoredLock> findAll(List<String> keys, Duration timeout) {
		return findAll(keys, this.statements.answer(), timeout);
	}

	List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		List<String> keys = claims.stream().map(LeaseId::key).toList();
		List<BsonString> tokens = claims.stream().map((claim) -> new BsonString(claim.leaseToken())).toList();
		return findAll(keys, this.statements.answers(keys.stream().map(this::id).toList(), tokens), timeout);
	}

	/**
	 * Find locks with their whole queues, which only a statement that does not compute
	 * shows.
	 */
	List<StoredLock> findQueues(List<String> keys, Duration timeout) {
		return find(keys, this.fields, timeout);
	}

	private List<StoredLock> findAll(List<String> keys, BsonDocument answer, Duration timeout) {
		if (keys.isEmpty()) {
			return List.of();
		}
		return unlessRefused(answer, this.fields, timeout, (fields, left) -> find(keys, fields, left));
	}

	/**
	 * Look by a statement that computes on the server. It fails for all documents if the
	 * server cannot compute for one of them. Then a plain statement is sent, and each
	 * document is read here by itself.
	 */
	static List<StoredLock> unlessRefused(BsonDocument computing, BsonDocument plain, Duration timeout,
			BiFunction<BsonDocument, Duration, List<StoredLock>> look) {
		TimeLeft time = new TimeLeft(LockClock.system(), timeout);
		try {
			return look.apply(computing, timeout);
		}
		catch (LockStoreException ex) {
			if (ex.getOutcome() != Outcome.REFUSED) {
				throw ex;
			}
			return look.apply(plain, time.left());
		}
	}

	private List<StoredLock> find(List<String> keys, BsonDocument answer, Duration timeout) {
		StoreRequest request = StoreRequest.read(StoreRequest.ofLocks("look at", keys.size()), keys.get(0), timeout);
		BsonDocument filter = this.statements.byIds(keys.stream().map(this::id).toList());
		return this.locks.execute(request, WriteConcern.MAJORITY,
				(locks) -> first(keys.size(), locks.find(filter).projection(answer),
						(found) -> this.unreadable.leaveOut(() -> lock(request, found))));
	}

	/**
	 * Refresh a place in the queue and look at the lock, by one command.
	 * @return the lock, or empty if the place is gone or the document cannot be read
	 */
	Optional<StoredLock> refresh(LeaseId claim, Duration timeout) {
		StoreRequest request = StoreRequest.write("refresh the queue place for lock", claim.key(), timeout);
		BsonString token = new BsonString(claim.leaseToken());
		BsonDocument filter = this.statements.awaitedBy(id(claim.key()), claim.leaseToken());
		// If this write is rolled back, the place only runs out a little earlier
		BsonDocument found = this.locks.execute(request, () -> this.locks.update(filter, this.statements.refresh(),
				this.statements.answer(Statements.literal(token)), WriteConcern.W1, request.timeoutMillis()));
		return (found.isEmpty()) ? Optional.empty() : this.unreadable.leaveOut(() -> lock(request, found)).findFirst();
	}

	Optional<StoredLock> find(String key, Duration timeout) {
		StoreRequest request = StoreRequest.read("look at lock", key, timeout);
		return this.locks.findOne(request, this.statements.byId(id(key)), this.fields)
			.map((found) -> lock(request, found));
	}

	List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		LockFilter all = new LockFilter(prefix, "", Duration.ZERO);
		return (most > 0) ? list(all, this.statements.heldWithin(start(all), behind(after)), most, timeout) : List.of();
	}

	/**
	 * Look for locks of some holders among a limited number of documents. The server
	 * sends only the locks that match.
	 */
	LockPage list(LockFilter filter, String after, int most, int scanned, Duration timeout) {
		if (!filter.isOfHolders()) {
			return LockPage.of(list(filter.prefix(), after, most, timeout), most, null);
		}
		TimeLeft time = new TimeLeft(LockClock.system(), timeout);
		BsonDocument held = this.statements.heldWithin(start(filter), behind(after));
		Optional<String> last = last(this.statements.within(start(filter), behind(after)), scanned, timeout);
		last.ifPresent((id) -> held.getDocument("_id").append("$lte", new BsonString(id)));
		List<StoredLock> found = unlessRefused(held.clone().append("$expr", this.statements.hasHolder(filter)), held,
				time.left(), (narrow, left) -> list(filter, narrow, most, left));
		return LockPage.of(found, most, last.map(this.keys::toKey).orElse(null));
	}

	// The last id of the range to scan: the index alone answers this, without the
	// documents
	private Optional<String> last(BsonDocument range, int scanned, Duration timeout) {
		StoreRequest request = StoreRequest.read("list locks", "", timeout);
		return this.locks
			.execute(request, WriteConcern.MAJORITY,
					(locks) -> Optional
						.ofNullable(locks.find(range).sort(BY_ID).projection(BY_ID).skip(scanned - 1).first()))
			.map((found) -> found.getString("_id").getValue())
			.filter((id) -> id.startsWith(this.keys.prefix()));
	}

	private List<StoredLock> list(LockFilter filter, BsonDocument held, int most, Duration timeout) {
		StoreRequest request = StoreRequest.read("list locks", "", timeout);
		return this.locks.execute(request, WriteConcern.MAJORITY, (locks) -> first(most,
				locks.find(held).sort(BY_ID).projection(this.fields), (found) -> matching(filter, request, found)));
	}

	private Stream<StoredLock> matching(LockFilter filter, StoreRequest request, BsonDocument found) {
		// The server compares by the collection's order, which a collation may change
		boolean within = found.getString("_id").getValue().startsWith(start(filter));
		return (within) ? this.unreadable.leaveOut(() -> lock(request, found)).filter(filter::matches) : Stream.empty();
	}

	/**
	 * Read documents until enough locks are found. A limit in the query would also count
	 * useless documents.
	 * @param reading the lock of a document, empty if the document is useless
	 */
	static List<StoredLock> first(int most, FindIterable<BsonDocument> documents,
			Function<BsonDocument, Stream<StoredLock>> reading) {
		List<StoredLock> locks = new ArrayList<>();
		// Without a batch size the server would send megabytes of the documents that
		// follow
		try (MongoCursor<BsonDocument> cursor = documents.batchSize(Math.max(most, LEAST_BATCH)).iterator()) {
			while (locks.size() < most && cursor.hasNext()) {
				reading.apply(cursor.next()).forEach(locks::add);
			}
		}
		return locks;
	}

	private String start(LockFilter filter) {
		return this.keys.prefix() + filter.prefix();
	}

	private String behind(String after) {
		return (after.isEmpty()) ? "" : this.keys.toId(after);
	}

	private StoredLock lock(StoreRequest request, BsonDocument found) {
		String key = (found.get("_id") instanceof BsonString id) ? this.keys.toKey(id.getValue()) : request.key();
		return new LockDocument(found).read(StoreRequest.read("read lock", key, request.timeout()), this.locks.name(),
				(lock) -> lock.toLock(key));
	}

	private BsonString id(String key) {
		return new BsonString(this.keys.toId(key));
	}

}
