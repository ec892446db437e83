package io.mongolock.documents;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.Assert;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.documents.store.DocumentKey;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.documents.store.MissingDocumentException;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.StoredLock;

/**
 * Locks, saves and releases documents, as {@link DocumentLockOperations} specifies. The
 * client, whose store is the documents, sends claims and releases; the application's
 * template sends the {@link ReleasingWrites writes}. Work within a hold of the same
 * thread gets the {@link HeldDocument} of that hold, which {@link DocumentTransactions}
 * finds.
 */
final class DocumentLocks implements DocumentLockOperations, UnlockedSaveGuard.Holders {

	/** Stands for no fence. */
	private static final long NONE = 0;

	private final MongoTemplate template;

	private final EntityLifecycle lifecycle;

	private final UnlockedSaveGuard plainSaves;

	private final DocumentLockStore store;

	private final StoreClient client;

	/**
	 * Of a separate client, so that a take-over never waits in this JVM's local queue.
	 */
	private final Supplier<LockOperations> takeOvers;

	private final LockClock clock;

	private final DocumentTickets tickets;

	private final ReleasingWrites writes;

	private final SingleDatabase database;

	private final DocumentTransactions transactions;

	DocumentLocks(MongoTemplate template, DocumentLockStore store, StoreClient client,
			Supplier<LockOperations> takeOvers, LockClock clock, Duration timeout, DocumentTransactions transactions,
			ApplicationContext context) {
		this.transactions = transactions;
		this.template = template;
		this.database = SingleDatabase.of(template.getMongoDatabaseFactory());
		this.plainSaves = UnlockedSaveGuard.of(context);
		this.lifecycle = new EntityLifecycle(context, this.plainSaves.own());
		this.store = store;
		this.client = client;
		this.takeOvers = takeOvers;
		this.clock = clock;
		this.tickets = new DocumentTickets(store, timeout);
		this.writes = new ReleasingWrites(template, this.tickets, this.database, transactions, timeout);
	}

	@Override
	public void check(Class<?> type) {
		locked(type, "");
	}

	@Override
	public <T> LockedDocument<T> lock(Class<T> type, Object id, LockSettings settings) {
		LockedType<T> locked = type(type);
		LockRequest request = request(locked, locked.key(id).toString(), (builder) -> builder.settings(settings));
		refuseSecond(locked, request);
		return claim(locked, request, () -> granted(locked, (Duration.ZERO.equals(request.settings().waitTimeout()))
				? acquireAtOnce(locked, request, NONE, this.client.locks()) : this.client.locks().acquire(request)));
	}

	@Override
	public <T> Optional<LockedDocument<T>> tryLock(Class<T> type, Object id, LockSettings settings) {
		LockedType<T> locked = type(type);
		LockRequest request = requestOnce(locked, locked.key(id).toString(), settings);
		refuseSecond(locked, request);
		return claim(locked, request, () -> this.store.atOnce(NONE, () -> this.client.locks().tryAcquire(request))
			.map((handle) -> granted(locked, handle)));
	}

	@Override
	public <T> LockedDocument<T> takeOver(Class<T> type, Object id, long fence, LockSettings settings) {
		LockedType<T> locked = type(type);
		LockRequest request = requestOnce(locked, locked.key(id).toString(), settings);
		refuseSecond(locked, request);
		refuseWhileWritten(locked, request.key());
		Optional<LockHolder> holder = this.tickets.look(request.key())
			.flatMap((lock) -> lock.liveHolders().stream().filter((one) -> one.fence() == fence).findFirst());
		HeldDocument<T> held = claim(locked, request,
				() -> granted(locked, acquireAtOnce(locked, request, fence, this.takeOvers.get())));
		holder.ifPresent((thrownOut) -> this.client.broken().accept(request.key(), thrownOut));
		return held;
	}

	private LockHandle acquireAtOnce(LockedType<?> type, LockRequest request, long replaced, LockOperations locks) {
		try {
			return this.store.atOnce(replaced, () -> locks.acquire(request));
		}
		catch (LockUnavailableException ex) {
			if (ex.getClaims() == 0 || !ex.getHolders().isEmpty()) {
				throw ex;
			}
			throw new LockUnavailableException(ex.getKey(), List.of(), ex.getWaited(), ex.getClaims(), "The "
					+ type.describe(request.key())
					+ " is not locked, but an open transaction has written the document. Try again after the end of "
					+ "that transaction");
		}
	}

	private void refuseSecond(LockedType<?> type, LockRequest request) {
		this.transactions.find(request.key(), type).ifPresent((held) -> {
			throw new IllegalStateException(
					"This thread already holds the " + held + ". Pass its LockedDocument to the nested code, or let "
							+ "the nested code call execute or a method with @DistributedLock(document = …), because "
							+ "these calls use the lock that this thread holds");
		});
	}

	@Override
	public <T, R extends @Nullable Object, E extends Throwable> R execute(Class<T> type, Object id,
			Consumer<LockRequest.Builder> how, DocumentCallback<T, R, E> callback) throws E {
		LockedType<T> locked = type(type);
		LockRequest request = request(locked, locked.key(id).toString(), how);
		Optional<HeldDocument<?>> around = this.transactions.find(request.key(), locked);
		return (around.isPresent()) ? callWithin(around.get().as(type), callback)
				: claim(locked, request, () -> this.client.locks()
					.execute(request, (handle) -> call(callback, granted(locked, handle), request.onLost())));
	}

	private static <T, R extends @Nullable Object, E extends Throwable> R call(DocumentCallback<T, R, E> callback,
			HeldDocument<T> held, OnLost onLost) throws E {
		R result;
		try {
			result = callback.doWithDocument(held);
		}
		finally {
			held.closes();
		}
		if (onLost != OnLost.IGNORE) {
			held.assertNotEndedWithin();
		}
		return result;
	}

	@SuppressWarnings("try") // the resource is only there to be closed
	private static <T, R extends @Nullable Object, E extends Throwable> R callWithin(HeldDocument<T> held,
			DocumentCallback<T, R, E> callback) throws E {
		try (LockContext.Scope scope = LockContext.enter(held.handle())) {
			return callback.doWithDocument(held);
		}
		finally {
			held.leftWithin();
		}
	}

	private <R extends @Nullable Object, E extends Throwable> R claim(LockedType<?> type, LockRequest request,
			Claim<R, E> claim) throws E {
		refuseInTransaction(type, request);
		try {
			return claim.send();
		}
		catch (MissingDocumentException ex) {
			throw new NoSuchDocumentException("There is no " + type.describe(request.key())
					+ " to lock. The given id has the type " + DocumentKey.parse(request.key()).id().getBsonType()
					+ ". Check whether the stored ids have this type", ex);
		}
	}

	private static LockRequest requestOnce(LockedType<?> type, String key, LockSettings settings) {
		return request(type, key, (builder) -> builder.settings(settings).waitTimeout(Duration.ZERO));
	}

	private static LockRequest request(LockedType<?> type, String key, Consumer<LockRequest.Builder> how) {
		LockRequest.Builder builder = LockRequest.builder(key).name(type.collection());
		how.accept(builder);
		LockRequest request = builder.build();
		LockSettings sole = sole(request.settings());
		return new LockRequest(request.key(), request.name(), sole, request.onUnavailable(), request.onLost());
	}

	private void refuseInTransaction(LockedType<?> type, LockRequest request) {
		String what = type.describe(request.key());
		Optional<DocumentTransaction> transaction = DocumentTransaction.around(this.template,
				what + " cannot be locked");
		if (transaction.filter((one) -> one.hasRead(this.template)).isPresent()) {
			throw new IllegalStateException(what
					+ " cannot be locked here, because this transaction has already read data, or keeps another lock. "
					+ "This transaction sees documents as they were at its first read, so it could not save this "
					+ "document. Lock all documents before the transaction that saves them begins. If another "
					+ "transaction saves this document, lock the document inside that transaction (REQUIRES_NEW), or "
					+ "lock the document and run that transaction in a method with NOT_SUPPORTED");
		}
	}

	private <T> HeldDocument<T> granted(LockedType<T> type, LockHandle handle) {
		try {
			LeaseControl lease = (LeaseControl) handle;
			LeaseProof proof = new LeaseProof(lease.lease(), this.store.secretOf(lease.lease()), handle.fence(), 0, 0);
			Optional<DocumentTransaction> transaction = DocumentTransaction.around(this.template,
					"The locked " + type.describe(proof.key()) + " cannot be kept");
			// If this thread closed the lock inside a transaction, the lock is still
			// held. The claim then sends nothing, so the document has to be loaded
			BsonDocument document = (lease.takeContent() instanceof BsonDocument granted) ? granted
					: this.tickets.load(proof.lease())
						.orElseThrow(() -> DocumentTickets.gone(proof, this.tickets.look(proof.key()), ""));
			HeldDocument<T> held = held(type, document, handle, proof, lease);
			transaction.ifPresent(held::grantedIn);
			return held;
		}
		catch (RuntimeException | Error ex) {
			close(handle, ex);
			throw ex;
		}
	}

	private <T> HeldDocument<T> held(LockedType<T> type, BsonDocument document, LockHandle handle, LeaseProof proof,
			LeaseControl lease) {
		HeldDocument<T> held = new HeldDocument<>(type, type.read(document), handle, proof, lease, this.tickets,
				this.writes);
		this.transactions.add(held);
		this.plainSaves.locked(held);
		return held;
	}

	private static void close(LockHandle handle, Throwable failure) {
		try {
			handle.close();
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

	@Override
	public <T> LockedDocument<T> resume(Class<T> type, Object id, LockTicket ticket) {
		LockedType<T> locked = type(type);
		String key = keyOf(locked, id, ticket);
		long requested = this.clock.nanoTime();
		StoredLock lock = this.tickets.look(key).orElseThrow(() -> DocumentTickets.notHeld(key));
		LeaseProof proof = LeaseProof.of(ticket, key, lock.holders()).orElseThrow(() -> DocumentTickets.notHeld(key));
		BsonDocument document = this.tickets.load(proof.lease()).orElseThrow(() -> DocumentTickets.notHeld(key));
		long version = locked.version(document);
		if (version != proof.version() && !this.tickets.isDraft(proof, document, version)) {
			throw DocumentChangedException.of(proof, true, locked, document);
		}
		TicketHandle handle = new TicketHandle(proof, this.tickets, this.clock, requested, lock,
				proof.holder(lock.holders()).orElseThrow());
		// End a document that this thread resumed before and perhaps never closed
		this.transactions.find(key, locked).filter(HeldDocument::isResumed).ifPresent(HeldDocument::supersede);
		return held(locked, document, handle, proof, handle);
	}

	@Override
	public void renew(Class<?> type, Object id, LockTicket ticket) {
		String key = keyOf(type(type), id, ticket);
		this.tickets.renew(this.tickets.find(ticket, key).orElseThrow(() -> DocumentTickets.notHeld(key)));
	}

	@Override
	public boolean release(Class<?> type, Object id, LockTicket ticket) {
		return this.tickets.find(ticket, keyOf(type(type), id, ticket)).filter(this.tickets::release).isPresent();
	}

	private String keyOf(LockedType<?> type, Object id, LockTicket ticket) {
		Assert.notNull(ticket, "The ticket is null. Pass the ticket that LockedDocument.ticket() returned. If a later "
				+ "request needs this ticket, store the ticket until then, for example in a form");
		String key = type.key(id).toString();
		refuseWhileWritten(type, key);
		return key;
	}

	@Override
	public List<DocumentLock> list(Class<?> type) {
		LockedType<?> locked = type(type);
		return this.tickets.list(locked.collection()).stream().flatMap((lock) -> seen(locked, lock).stream()).toList();
	}

	@Override
	public Optional<DocumentLock> find(Class<?> type, Object id) {
		return find(type, id, this.template.getCollectionName(type));
	}

	@Override
	public Optional<DocumentLock> find(Class<?> type, Object id, String collection) {
		LockedType<?> locked = type(type, collection);
		return this.tickets.look(locked.key(id).toString()).flatMap((lock) -> seen(locked, lock));
	}

	@Override
	public Optional<LockHolder> breakLock(Class<?> type, Object id) {
		LockedType<?> locked = type(type);
		String key = locked.key(id).toString();
		refuseWhileWritten(locked, key);
		Optional<LockHolder> thrownOut = this.tickets.breakLock(key);
		thrownOut.ifPresent((holder) -> this.client.broken().accept(key, holder));
		return thrownOut;
	}

	private void refuseWhileWritten(LockedType<?> type, String key) {
		if (this.transactions.isWritten(key, type)) {
			throw new IllegalStateException("The lock on " + type.describe(key)
					+ " cannot be resumed, renewed, taken over or released here, because the transaction around this "
					+ "code has written the document. This call would wait for the end of that transaction. Use the "
					+ "LockedDocument with which the document was written, or make this call before or after the "
					+ "transaction");
		}
	}

	private static Optional<DocumentLock> seen(LockedType<?> type, StoredLock lock) {
		Object id = type.id(DocumentKey.parse(lock.key()).id());
		int waiting = (int) lock.queue().stream().filter((waiter) -> waiter.isAlive(lock.now())).count();
		return lock.liveHolders().stream().findFirst().map((holder) -> new DocumentLock(id, holder, waiting));
	}

	// The collection may depend on the tenant of the call, so it is not cached
	private <T> LockedType<T> type(Class<T> type) {
		return type(type, this.template.getCollectionName(type));
	}

	private <T> LockedType<T> type(Class<T> type, String collection) {
		this.database.check();
		LockedType<T> locked = locked(type, collection);
		this.store.register(locked.collection(), locked.versionField());
		return locked;
	}

	private <T> LockedType<T> locked(Class<T> type, String collection) {
		return new LockedType<>(new EntityWriter(this.template, this.lifecycle, collection, this.store.field()), type);
	}

	private static LockSettings sole(LockSettings settings) {
		Integer limit = settings.limit();
		Duration minHold = settings.minHold();
		if ((limit != null && limit != 1) || (minHold != null && !minHold.isZero())) {
			throw new IllegalArgumentException(
					"A document's lock always has one holder, and ends when the document is saved. Remove "
							+ ((minHold != null) ? "the minimum hold " + minHold : "the limit " + limit));
		}
		// No linger: waiters would recall an idle lease, but clients of documents hear no
		// recalls
		return LockSettings.builder().limit(1).minHold(Duration.ZERO).linger(Duration.ZERO).build().or(settings);
	}

	/**
	 * Asks the client for a lock.
	 *
	 * @param <R> what it returns
	 * @param <E> what it throws
	 */
	@FunctionalInterface
	private interface Claim<R extends @Nullable Object, E extends Throwable> {

		R send() throws E;

	}

}
