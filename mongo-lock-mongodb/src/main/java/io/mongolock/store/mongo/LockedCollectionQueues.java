package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.mongodb.WriteConcern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockStoreException;
import io.mongolock.store.Claim;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * The queues for locks in a {@link LockedCollection}. Each queue is a document of its
 * own, which may be in the collection of the locks. If the ids of queues are documents,
 * they never equal the key of a lock. Thread-safe. <pre> { _id: …, queue: [ … ],
 * touchedAt: … }
 * </pre>
 */
public final class LockedCollectionQueues {

	private static final Log logger = LogFactory.getLog(LockedCollectionQueues.class);

	private final ClaimPipeline places = new ClaimPipeline();

	private final LockStatements statements = new LockStatements();

	private final BsonDocument fields = this.statements.projection("queue");

	private final PrimaryCollection queues;

	private final Function<String, BsonValue> ids;

	private final TokenCommands requests;

	private final UnreadableLocks unreadable = new UnreadableLocks();

	/**
	 * Create for a collection.
	 * @param template a template that never joins a session or transaction of the caller:
	 * its session synchronization is {@code NEVER}
	 * @param collection the name of the collection
	 * @param ids maps a key to the id of its queue
	 */
	public LockedCollectionQueues(MongoOperations template, String collection, Function<String, BsonValue> ids) {
		this.queues = new PrimaryCollection(template, collection);
		this.ids = ids;
		this.requests = new TokenCommands(this.queues, this.statements, ids);
	}

	/**
	 * The requests that name a place in a queue by its token.
	 */
	public TokenCommands requests() {
		return this.requests;
	}

	/**
	 * Enter the queue, or refresh the place there.
	 * @param placeTtl how long the place counts without refresh
	 */
	public List<StoredWaiter> enter(Claim claim, Duration placeTtl, Duration timeout) {
		StoreRequest request = StoreRequest.write("enter the queue of document", claim.id().key(), timeout);
		BsonDocument filter = this.requests.byId(request.key());
		List<BsonDocument> place = this.places.enter(claim, placeTtl);
		RepeatedCommand command = new RepeatedCommand(request.timeoutMillis());
		// If this write is rolled back, the place runs out a little earlier. If it is
		// executed late, the place runs out by itself
		return this.queues.execute(request, () -> read(request, new LockDocument(
				command.send((left) -> this.queues.upsert(filter, place, this.fields, WriteConcern.W1, left)))));
	}

	/**
	 * Leave the queue after a grant. A failure to leave must not turn the grant into a
	 * failure, because the place runs out by itself.
	 */
	public void leaveAfterGrant(LeaseId claim, Duration timeout) {
		try {
			this.requests.leaveAll(List.of(claim), timeout);
		}
		catch (LockStoreException ex) {
			logger.debug("The place in the queue could not be given up, so the place stays until it expires", ex);
		}
	}

	/**
	 * Look at one queue.
	 */
	public List<StoredWaiter> look(String key, Duration timeout) {
		Queue queue = look(List.of(key), this.fields, timeout).get(this.ids.apply(key));
		return (queue != null) ? queue.places() : List.of();
	}

	/**
	 * Add the whole queues to the locks of documents.
	 */
	public List<StoredLock> with(List<StoredLock> locks, Duration timeout) {
		return add(locks, this.fields, timeout);
	}

	/**
	 * Add the heads of the queues to the locks of documents, and the number of places
	 * behind each head.
	 */
	public List<StoredLock> withHeads(List<StoredLock> locks, Duration timeout) {
		return addShown(locks, this.statements.answer(), timeout);
	}

	/**
	 * Add to the locks of documents the part of the queues that waiters need.
	 * @param claims the tokens of the waiters, each for another key
	 */
	public List<StoredLock> withPlaces(List<StoredLock> locks, List<LeaseId> claims, Duration timeout) {
		List<BsonValue> ids = claims.stream().map((claim) -> this.ids.apply(claim.key())).toList();
		List<BsonString> tokens = claims.stream().map((claim) -> new BsonString(claim.leaseToken())).toList();
		return addShown(locks, this.statements.answers(ids, tokens), timeout);
	}

	private List<StoredLock> addShown(List<StoredLock> locks, BsonDocument answer, Duration timeout) {
		return LockQueries.unlessRefused(answer, this.fields, timeout, (fields, left) -> add(locks, fields, left));
	}

	private List<StoredLock> add(List<StoredLock> locks, BsonDocument answer, Duration timeout) {
		if (locks.isEmpty()) {
			return locks;
		}
		Map<BsonValue, Queue> seen = look(locks.stream().map(StoredLock::key).toList(), answer, timeout);
		return locks.stream().map((lock) -> {
			Queue queue = seen.getOrDefault(this.ids.apply(lock.key()), Queue.EMPTY);
			return lock.withQueue(queue.places(), queue.hidden());
		}).toList();
	}

	private Map<BsonValue, Queue> look(List<String> keys, BsonDocument answer, Duration timeout) {
		StoreRequest request = StoreRequest.read("look at the queue of document", keys.get(0), timeout);
		BsonDocument filter = this.statements.byIds(keys.stream().map(this.ids).toList());
		return this.queues
			.execute(request, WriteConcern.MAJORITY,
					(queues) -> queues.find(filter).projection(answer).into(new ArrayList<>()))
			.stream()
			.collect(Collectors.toMap((found) -> Objects.requireNonNull(found.get("_id")),
					(found) -> this.unreadable.leaveOut(() -> queue(request, new LockDocument(found)))
						.findFirst()
						.orElse(Queue.EMPTY)));
	}

	private Queue queue(StoreRequest request, LockDocument queue) {
		return new Queue(read(request, queue), queue.hidden());
	}

	private List<StoredWaiter> read(StoreRequest request, LockDocument queue) {
		return queue.read(request, this.queues.name(),
				(shown) -> shown.queue().stream().filter((waiter) -> waiter.isAlive(shown.now())).toList());
	}

	/**
	 * A queue as it was read.
	 *
	 * @param places the places that count, in the order of arrival
	 * @param hidden the places that are left out
	 */
	private record Queue(List<StoredWaiter> places, HiddenPlaces hidden) {

		private static final Queue EMPTY = new Queue(List.of(), HiddenPlaces.NONE);

	}

}
