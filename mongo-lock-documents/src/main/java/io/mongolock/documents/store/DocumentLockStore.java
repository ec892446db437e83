package io.mongolock.documents.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import com.mongodb.client.ClientSession;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.data.FencedWrites;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;
import io.mongolock.store.TimeLeft;
import io.mongolock.store.mongo.LockedCollection;
import io.mongolock.store.mongo.LockedCollectionQueues;
import io.mongolock.store.mongo.TokenCommands;

/**
 * {@link LockStore} in documents of the application. The lock is a field of the document,
 * and the key is the text of a {@link DocumentKey}. A document is never created. A grant
 * raises the document's version by one, if it has one, and returns the whole document.
 * <p>
 * The first request of a claim is one statement on the document. A denied claim stands in
 * the queue of the document, which is kept in the collection of the locks. So waiting
 * never writes the document, and only the first in the queue asks for it. Thread-safe.
 * <pre>
 * { _id: …, title: …, version: 5,
 *   lock: { holders: [ … ], fence: …, touchedAt: …, previous: [ … ] } }
 * </pre>
 */
public final class DocumentLockStore implements LockStore {

	private static final Log logger = LogFactory.getLog(DocumentLockStore.class);

	private final MongoOperations template;

	private final String field;

	private final LockedCollectionQueues queues;

	private final LockClock clock;

	private final LeaseSecrets secrets = new LeaseSecrets();

	private final Map<String, LockedCollection> collections = new ConcurrentHashMap<>();

	/**
	 * Set while this thread's claim must not wait: the fence of the grant to replace, or
	 * zero.
	 */
	private final ThreadLocal<@Nullable Long> atOnce = new ThreadLocal<>();

	/**
	 * Create a new store.
	 * @param template a template that never joins a session or transaction of the caller:
	 * its session synchronization is {@code NEVER}
	 * @param field the name of the field that keeps the lock
	 * @param queues the name of the collection that keeps the queues, which may be the
	 * collection of the locks
	 * @param clock measures timeouts that several requests share
	 * @throws IllegalArgumentException as {@link #checkField} does
	 */
	public DocumentLockStore(MongoOperations template, String field, String queues, LockClock clock) {
		checkField(field);
		this.template = template;
		this.field = field;
		this.queues = new LockedCollectionQueues(template, queues, DocumentLockStore::queueId);
		this.clock = clock;
	}

	/**
	 * Check the name of the field for the lock.
	 * @throws IllegalArgumentException if it cannot name a field of the document itself
	 */
	public static void checkField(String field) {
		if (field.isBlank() || field.startsWith("$") || field.contains(".") || field.equals("_id")
				|| field.equals(FencedWrites.FIELD)) {
			throw new IllegalArgumentException("Locks cannot be kept in the field '" + field + "'. Name a field of the "
					+ "document itself, for example 'lock'. '" + FencedWrites.FIELD
					+ "' and names with a dot or a dollar sign are not allowed");
		}
	}

	/**
	 * The field that keeps the lock.
	 */
	public String field() {
		return this.field;
	}

	/**
	 * Note that the documents of a collection have a version.
	 * @param version the field of the version
	 * @throws IllegalArgumentException if other documents of the collection have it in
	 * another field
	 */
	public void register(String collection, String version) {
		this.collections.computeIfAbsent(collection, this::create).version(version);
	}

	@Override
	public String token(String random) {
		return this.secrets.token(random);
	}

	/**
	 * The secret that proves possession of a lease that a client of this store was
	 * granted.
	 */
	public byte[] secretOf(LeaseId lease) {
		return this.secrets.secretOf(lease.leaseToken());
	}

	/**
	 * Run a claim of this thread that waits for nothing, not even for the end of a
	 * transaction that has written the document.
	 * @param replaced the fence of a grant to replace even if it is still live, zero for
	 * none
	 * @param claim asks a client of this store, without a wait
	 * @return what the claim returned
	 */
	public <T> T atOnce(long replaced, Supplier<T> claim) {
		this.atOnce.set(replaced);
		try {
			return claim.get();
		}
		finally {
			this.atOnce.remove();
		}
	}

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		LockedCollection documents = of(claim.id().key());
		Long replaced = this.atOnce.get();
		if (replaced != null) {
			return documents.acquireAtOnce(claim.alone(), replaced, timeout);
		}
		return (claim.first() && !claim.waiting()) ? documents.acquire(claim, timeout)
				: inQueue(documents, claim, new TimeLeft(this.clock, timeout));
	}

	private ClaimAnswer inQueue(LockedCollection documents, Claim claim, TimeLeft time) {
		Duration placeTtl = claim.placeTtl();
		List<StoredWaiter> queue = (placeTtl != null) ? this.queues.enter(claim, placeTtl, time.left())
				: this.queues.look(claim.id().key(), time.left());
		Claim alone = claim.alone();
		ClaimAnswer answer = null;
		if (isBehindOthers(queue, claim.id())) {
			answer = documents.look(claim.id().key(), time.left());
		}
		// A request of this token may have been granted although its answer was lost.
		// Reading its lease does not renew it, so the claim is sent as well
		if (answer == null || answer.grantTo(claim.id().leaseToken()).isPresent()) {
			answer = documents.acquire(alone, time.left());
		}
		if (answer.grantTo(claim.id().leaseToken()).isEmpty()) {
			return answer.withQueue(queue);
		}
		this.queues.leaveAfterGrant(claim.id(), time.left());
		return answer.withQueue(
				queue.stream().filter((waiter) -> !waiter.leaseToken().equals(claim.id().leaseToken())).toList());
	}

	private static boolean isBehindOthers(List<StoredWaiter> queue, LeaseId claim) {
		return !queue.isEmpty() && !queue.get(0).leaseToken().equals(claim.leaseToken());
	}

	@Override
	public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
		List<LockStoreException> failures = new ArrayList<>();
		Set<LeaseId> failed = new HashSet<>();
		// A failure in one collection says nothing of the others
		int found = all(leases, timeout, (part) -> {
			RenewalAnswer answer = renewAll(part, notes);
			if (answer.failure() != null) {
				failures.add(answer.failure());
				failed.addAll(answer.failed());
			}
			return answer.found();
		});
		return new RenewalAnswer(found, failed, (failures.isEmpty()) ? null : failures.get(0));
	}

	private static RenewalAnswer renewAll(Part part, Map<LeaseId, String> notes) {
		try {
			return part.requests().renewAll(part.leases(), notes, part.timeout());
		}
		catch (LockStoreException ex) {
			return new RenewalAnswer(0, Set.copyOf(part.leases()), ex);
		}
	}

	@Override
	public ReleaseAnswer release(LeaseId lease, Duration timeout) {
		// The answer means that the majority has the release, so it need not tell whether
		// anyone waits
		return new ReleaseAnswer(of(lease.key()).leases().release(lease, timeout), false);
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return all(leases, timeout, (part) -> part.requests().releaseAll(part.leases(), part.timeout()));
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		return all(List.copyOf(leases.keySet()), timeout,
				(part) -> part.requests()
					.expireAll(part.leases().stream().collect(Collectors.toMap(Function.identity(), leases::get)),
							part.timeout()));
	}

	@Override
	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return of(lease.key()).leases().releaseGrant(lease, fence, timeout);
	}

	@Override
	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return of(lease.key()).leases().requestRelease(lease, reason, by, timeout);
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return this.queues.requests().leaveAll(claims, timeout);
	}

	@Override
	public List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		this.queues.requests().refreshAll(claims, time.left());
		return lookAll(claims, time.left());
	}

	@Override
	public List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		return this.queues.withPlaces(locks(claims.stream().map(LeaseId::key).toList(), time), claims, time.left());
	}

	@Override
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		return this.queues.withHeads(locks(keys, time), time.left());
	}

	@Override
	public List<StoredLock> findQueues(List<String> keys, Duration timeout) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		List<StoredLock> locks = keys.stream()
			.filter(this::isKnown)
			.collect(Collectors.groupingBy((key) -> DocumentKey.parse(key).collection()))
			.values()
			.stream()
			.flatMap((part) -> readable(part, time).stream())
			.toList();
		return this.queues.with(locks, time.left());
	}

	// A place in a queue may name any text as the key of a held lock
	private boolean isKnown(String key) {
		try {
			return this.collections.containsKey(DocumentKey.parse(key).collection());
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	// A collection that cannot be read does not hide the others
	private List<StoredLock> readable(List<String> keys, TimeLeft time) {
		try {
			return of(keys.get(0)).findAll(keys, time.left());
		}
		catch (LockStoreException ex) {
			logger.debug("Could not find out who holds some documents", ex);
			return List.of();
		}
	}

	private List<StoredLock> locks(List<String> keys, TimeLeft time) {
		return keys.stream()
			.collect(Collectors.groupingBy((key) -> DocumentKey.parse(key).collection()))
			.entrySet()
			.stream()
			.flatMap((of) -> collection(of.getKey()).findAll(of.getValue(), time.left()).stream())
			.toList();
	}

	@Override
	public Optional<StoredLock> find(String key, Duration timeout) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		List<StoredLock> found = of(key).find(key, time.left()).stream().toList();
		return this.queues.with(found, time.left()).stream().findFirst();
	}

	@Override
	public List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		LockFilter all = new LockFilter(prefix, "", Duration.ZERO);
		return (most > 0) ? list(all, after, most, most, timeout).locks() : List.of();
	}

	// Free documents are no locks. The server sends only the held ones that match, so it
	// may scan them all, and the limit of scanned locks is ignored
	@Override
	public LockPage list(LockFilter filter, String after, int most, int scanned, Duration timeout) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		Optional<DocumentKey> last = Optional.of(after).filter((key) -> !key.isEmpty()).map(DocumentKey::parse);
		String first = last.map(DocumentKey::collection).orElse("");
		List<StoredLock> found = new ArrayList<>();
		for (String name : collections(filter.prefix())) {
			if (name.compareTo(first) >= 0 && found.size() < most) {
				BsonValue behind = last.filter((key) -> key.collection().equals(name))
					.map(DocumentKey::id)
					.orElse(null);
				found.addAll(collection(name).list(filter, DocumentKey.textOf(filter.prefix()), behind,
						most - found.size(), time.left()));
			}
		}
		return LockPage.of(this.queues.with(found, time.left()), most, null);
	}

	// A collection whose whole name is in the prefix need not be known
	private List<String> collections(String prefix) {
		return DocumentKey.collectionOf(prefix)
			.map(List::of)
			.orElseGet(() -> this.collections.keySet()
				.stream()
				.filter((name) -> DocumentKey.beginning(name).startsWith(prefix))
				.sorted()
				.toList());
	}

	@Override
	public Comparator<String> keyOrder() {
		return Comparator.comparing(DocumentKey::parse,
				Comparator.comparing(DocumentKey::collection).thenComparing(DocumentKey::id, new IdOrder()));
	}

	/**
	 * Renew a lease as part of a transaction of the application. The transaction then
	 * keeps all other writes away from the document until it ends.
	 * @throws LockStoreException if it failed; the transaction must be rolled back
	 * @throws IllegalStateException if the session belongs to another client
	 */
	public boolean renew(LeaseId lease, ClientSession session) {
		return of(lease.key()).leases().renew(lease, session);
	}

	/**
	 * Look at the holders of a document, including those whose leases have run out.
	 * @return the holders; none if there is no such document
	 */
	public List<StoredHolder> holders(String key, Duration timeout) {
		return of(key).find(key, timeout).map(StoredLock::holders).orElse(List.of());
	}

	/**
	 * Load a locked document.
	 * @return the whole document, or empty if the lease is gone
	 */
	public Optional<BsonDocument> load(LeaseId lease, Duration timeout) {
		return of(lease.key()).load(lease, timeout);
	}

	/**
	 * Look at the locked documents of one collection, in the order of their ids. For
	 * diagnostics.
	 */
	public List<StoredLock> list(String collection, Duration timeout) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		return this.queues.with(collection(collection).list(new LockFilter("", "", Duration.ZERO), "", null,
				Integer.MAX_VALUE, time.left()), time.left());
	}

	// This id is a document, so it differs from the key of any lock
	private static BsonValue queueId(String key) {
		DocumentKey document = DocumentKey.parse(key);
		return new BsonDocument("collection", new BsonString(document.collection())).append("id", document.id());
	}

	private LockedCollection of(String key) {
		return collection(DocumentKey.parse(key).collection());
	}

	// A ticket comes from outside and may name any collection, so unknown ones are not
	// cached
	private LockedCollection collection(String name) {
		LockedCollection known = this.collections.get(name);
		return (known != null) ? known : create(name);
	}

	private LockedCollection create(String name) {
		return new LockedCollection(this.template, name, this.field, new Documents(name));
	}

	// One request per collection, all within one timeout
	private int all(List<LeaseId> leases, Duration timeout, Function<Part, Integer> request) {
		TimeLeft time = new TimeLeft(this.clock, timeout);
		int count = 0;
		for (List<LeaseId> part : leases.stream()
			.collect(Collectors.groupingBy((lease) -> DocumentKey.parse(lease.key()).collection()))
			.values()) {
			count += request.apply(new Part(of(part.get(0).key()).leases(), part, time.left()));
		}
		return count;
	}

	/**
	 * The documents of a collection by the keys of their locks.
	 *
	 * @param collection its name
	 */
	private record Documents(String collection) implements LockedCollection.Documents {

		@Override
		public BsonValue id(String key) {
			return DocumentKey.parse(key).id();
		}

		@Override
		public String key(BsonValue id) {
			return new DocumentKey(this.collection, id).toString();
		}

		@Override
		public LockStoreException missing(String key) {
			return new MissingDocumentException(key);
		}

		@Override
		public String otherField() {
			return "Use @Field to map this field's property to another field, or set mongo-lock.document-locks.field "
					+ "to another field for the locks";
		}

	}

	/**
	 * The leases of one collection.
	 *
	 * @param requests sends the requests
	 * @param leases the leases
	 * @param timeout how long the request may take
	 */
	private record Part(TokenCommands requests, List<LeaseId> leases, Duration timeout) {

	}

}
