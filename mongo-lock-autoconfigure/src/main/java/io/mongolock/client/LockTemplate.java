package io.mongolock.client;

import java.lang.StackWalker.StackFrame;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockCallback;
import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.concurrent.ThreadLock;
import io.mongolock.concurrent.ThreadReadWriteLock;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LocalWaitQueues;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockDefaults;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.QueuePlaces;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.event.ClaimEvents;
import io.mongolock.event.LockEvents;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.event.RenewalEvents;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * {@link LockOperations} on a {@link LockStore}. Starts with the first claim or
 * {@link #start()}; takes no claims between {@link #stop} and the next {@link #start()}.
 * Thread-safe.
 */
public final class LockTemplate implements LockOperations {

	/**
	 * How long a place in line lasts unless said otherwise.
	 */
	public static final Duration DEFAULT_PLACE_TTL = Duration.ofSeconds(6);

	private static final int TOKEN_BYTES = 16;

	private static final Duration CLOSE_BUDGET = Duration.ofSeconds(5);

	private final LockDefaults defaults;

	private final LockOwner owner;

	private final int reserve;

	private final LockClock clock;

	private final SecureRandom tokens = new SecureRandom();

	private final LocalWaitQueues<LockAcquisition, HeldLock> queues = new LocalWaitQueues<>();

	private final ClientLifecycle lifecycle;

	private final LockEvents events;

	private final ClaimEvents claimEvents;

	private final HeldLocks heldLocks;

	private final ReleaseRequests releaseRequests;

	private final PlaceKeeper places;

	private final LockAcquisition.Client client;

	private final ClaimSender sender;

	private final HandleLeaks leaks;

	/**
	 * Create a client.
	 * @param store where the locks are kept
	 * @param defaults what holds where a request says nothing
	 * @param owner who asks, for diagnostics
	 * @param clock the clocks that deadlines are checked against
	 * @param listeners who is notified
	 */
	public LockTemplate(LockStore store, LockDefaults defaults, LockOwner owner, LockClock clock,
			List<LockListener> listeners) {
		this(store, defaults, owner, clock, listeners, LeakDetection.WARN, HandOver.DEFAULT);
	}

	/**
	 * Create a client.
	 * @param store where the locks are kept
	 * @param defaults what holds where a request says nothing
	 * @param owner who asks, for diagnostics
	 * @param clock the clocks that deadlines are checked against
	 * @param listeners who is notified
	 * @param leakDetection what to do about handles that are never closed
	 * @param handOver how long locks are handed on within this JVM
	 */
	public LockTemplate(LockStore store, LockDefaults defaults, LockOwner owner, LockClock clock,
			List<LockListener> listeners, LeakDetection leakDetection, HandOver handOver) {
		this(store, defaults, owner, clock, listeners, leakDetection, handOver, DEFAULT_PLACE_TTL);
	}

	/**
	 * Create a client.
	 * @param store where the locks are kept
	 * @param defaults what holds where a request says nothing
	 * @param owner who asks, for diagnostics
	 * @param clock the clocks that deadlines are checked against
	 * @param listeners who is notified
	 * @param leakDetection what to do about handles that are never closed
	 * @param handOver how long a turn of this JVM may be
	 * @param placeTtl how long a place in the line of a lock lasts after its JVM died
	 */
	public LockTemplate(LockStore store, LockDefaults defaults, LockOwner owner, LockClock clock,
			List<LockListener> listeners, LeakDetection leakDetection, HandOver handOver, Duration placeTtl) {
		this.defaults = defaults;
		this.reserve = handOver.reserve();
		this.owner = owner;
		this.clock = clock;
		this.events = new LockEvents(listeners, clock, ClientThreads::daemons);
		RenewalEvents renewalEvents = this.events.ofRenewals();
		this.releaseRequests = new ReleaseRequests(store, renewalEvents);
		QueuePlaces linePlaces = new QueuePlaces(placeTtl);
		this.places = new PlaceKeeper(store, clock, linePlaces);
		this.lifecycle = new ClientLifecycle((threads) -> new LeaseRenewer(store, clock, threads.renewals(),
				renewalEvents, this.places, this.releaseRequests));
		LockReleaser releaser = new LockReleaser(store, clock, this.events, this.lifecycle);
		this.heldLocks = new HeldLocks(store, clock, this.queues, this.lifecycle, releaser, this.events, handOver);
		this.client = new LockAcquisition.Client(this.queues, linePlaces, this.heldLocks::granted,
				(bound) -> ThreadLocalRandom.current().nextLong(bound));
		this.claimEvents = this.events.ofClaims(store.servers());
		this.sender = new ClaimSender(store, clock, this.lifecycle, this.heldLocks, releaser, this.claimEvents);
		this.leaks = new HandleLeaks(leakDetection, ClientThreads.daemons("mongo-lock-leaks"),
				(heldLock) -> this.lifecycle.threads().cleanUpAfter(0, () -> releaseLeaked(heldLock)));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E {
		try (LeaseHandle handle = claim(request)) {
			return run(handle, callback);
		}
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		StackFrame caller = this.leaks.caller();
		return watch(claim(request), caller);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		StackFrame caller = this.leaks.caller();
		LeaseHandle shared = shareOwn(request);
		LeaseHandle handle = (shared != null) ? shared : tryClaim(request);
		return Optional.ofNullable(handle).map((acquired) -> watch(acquired, caller));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		StackFrame caller = this.leaks.caller();
		LeaseHandle shared = shareOwn(request);
		if (shared != null) {
			return CompletableFuture.completedFuture(watch(shared, caller));
		}
		return new AsyncDriver(acquisition(request), this.sender, this.heldLocks, this.lifecycle::threads,
				(heldLock) -> watch(handle(heldLock), caller))
			.start();
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		return new AsyncExecution<>(callback, this::working, (end) -> this.lifecycle.threads().complete(end))
			.run(acquireAsync(request));
	}

	@Override
	public Lock asLock(LockRequest request) {
		this.defaults.terms(request);
		this.defaults.limit(request);
		return new ThreadLock(this, request);
	}

	@Override
	public ReadWriteLock asReadWriteLock(LockRequest request) {
		this.defaults.terms(request);
		this.defaults.limit(ThreadReadWriteLock.reading(request));
		return new ThreadReadWriteLock(this, request);
	}

	@Override
	public int requestRelease(String key, String reason) {
		if (!this.lifecycle.startIfNew() || !this.lifecycle.beginClaim()) {
			throw LockExceptions.stopped(key, Duration.ZERO);
		}
		try {
			String by = this.owner.onThread(Thread.currentThread().getName()).toString();
			return this.releaseRequests.ask(key, reason, by, this.defaults.terms().operationTimeout());
		}
		finally {
			this.lifecycle.endRequest();
		}
	}

	/**
	 * Renew what this client holds of a key now instead of when it is due, so that a loss
	 * is noticed and told at once.
	 * @param key the key
	 * @throws io.mongolock.LockStoreException if the store could not be asked; what is
	 * held is then held for as long as before
	 */
	public void renew(String key) {
		this.heldLocks.renew(key);
	}

	/**
	 * Publish that a lock was broken on purpose.
	 * @param key the key
	 * @param holder who was thrown out
	 */
	public void broken(String key, LockHolder holder) {
		this.events.broken(key, holder);
	}

	/**
	 * Take claims. Has no effect while running.
	 */
	public void start() {
		this.lifecycle.start();
	}

	/**
	 * Take no more claims, end all waiting, renew nothing more, and release what is still
	 * held, many locks with one request; its holders are notified that they lost it. No
	 * request to the store begins after this, and those underway have ended unless they
	 * take longer than the budget.
	 * @param budget how long this may take; what is not released by then runs out by
	 * itself
	 */
	public void stop(Duration budget) {
		long until = this.clock.nanoTime() + budget.toNanos();
		this.lifecycle.stop();
		this.leaks.stop();
		this.queues.waiters().forEach(LockAcquisition::stop);
		this.heldLocks.abandonAll(until);
		this.places.leaveAll(until);
		this.lifecycle.awaitRequests(left(until));
		this.lifecycle.close();
		// What was granted, or took a place, meanwhile
		this.heldLocks.abandonAll(until);
		this.places.leaveAll(until);
		this.events.flushLog(left(until));
		this.lifecycle.awaitRenewals(left(until));
	}

	/**
	 * Stop unless that was done before: what a claim started while the application was
	 * still starting has nobody else to stop it if that start fails.
	 */
	public void close() {
		if (isRunning()) {
			stop(CLOSE_BUDGET);
		}
	}

	private Duration left(long until) {
		return Duration.ofNanos(Math.max(0, until - this.clock.nanoTime()));
	}

	/**
	 * Whether claims are taken.
	 * @return whether the client was started, and not stopped since
	 */
	public boolean isRunning() {
		return this.lifecycle.isRunning();
	}

	/**
	 * How many actions wait for their time.
	 * @return the number
	 */
	int timers() {
		return this.lifecycle.threads().timers();
	}

	/**
	 * How many locks are held.
	 * @return the number
	 */
	public int held() {
		return this.heldLocks.size();
	}

	/**
	 * How many claims wait in this JVM.
	 * @return the number
	 */
	public int waiting() {
		return this.queues.waiters().size();
	}

	@SuppressWarnings("try") // closing is what the resources are for
	private <T extends @Nullable Object, E extends Throwable> T run(LeaseHandle handle, LockCallback<T, E> callback)
			throws E {
		try (LossInterruption interruption = LossInterruption.begin(handle.heldLock());
				LockContext.Scope scope = LockContext.enter(handle);
				LockInstrumentation.Scope work = working(handle)) {
			return callback.doWithLock(handle);
		}
	}

	private LockInstrumentation.Scope working(LockHandle handle) {
		return (handle instanceof LeaseHandle lease) ? this.events.working(lease.heldLock())
				: LockInstrumentation.Scope.NONE;
	}

	private LeaseHandle claim(LockRequest request) {
		LeaseHandle shared = shareOwn(request);
		return (shared != null) ? shared : handle(blocking(request).acquire());
	}

	private @Nullable LeaseHandle shareOwn(LockRequest request) {
		Optional<LockHandle> own = LockContext
			.find((handle) -> handle instanceof LeaseHandle lease && lease.isFor(this.heldLocks, request.key()));
		HeldLock heldLock = (own.isPresent()) ? ((LeaseHandle) own.get()).heldLock()
				: TransactionLocks.find(this.heldLocks, request.key());
		if (heldLock == null) {
			return null;
		}
		this.heldLocks.share(heldLock, this.defaults.limit(request));
		return handle(heldLock);
	}

	private @Nullable LeaseHandle tryClaim(LockRequest request) {
		HeldLock held = blocking(skipping(request)).tryAcquire();
		return (held != null) ? handle(held) : null;
	}

	private LeaseHandle watch(LeaseHandle handle, @Nullable StackFrame caller) {
		try {
			return this.leaks.watch(handle, caller);
		}
		catch (RuntimeException | Error ex) {
			this.heldLocks.takeBack(handle.heldLock(), ex);
			throw ex;
		}
	}

	private void releaseLeaked(HeldLock heldLock) {
		try {
			this.heldLocks.unshare(heldLock);
		}
		catch (LockLostException ex) {
			// Nobody can act on it; it was published when it happened
		}
	}

	private LeaseHandle handle(HeldLock heldLock) {
		try {
			TransactionLocks.keep(this.heldLocks, heldLock);
			return new LeaseHandle(heldLock, this.heldLocks);
		}
		catch (RuntimeException | Error ex) {
			this.heldLocks.takeBack(heldLock, ex);
			throw ex;
		}
	}

	private static LockRequest skipping(LockRequest request) {
		return new LockRequest(request.key(), request.name(), request.settings(), OnUnavailable.SKIP, request.onLost());
	}

	private BlockingDriver blocking(LockRequest request) {
		return new BlockingDriver(acquisition(request), this.sender);
	}

	private LockAcquisition acquisition(LockRequest request) {
		ResolvedLockSettings terms = this.defaults.terms(request);
		ClockReading begun = ClockReading.of(this.clock);
		if (!this.lifecycle.startIfNew()) {
			throw LockExceptions.stopped(request.key(), Duration.ZERO);
		}
		LeaseId id = new LeaseId(request.key(), token());
		Claim claim = Claim.of(id, this.owner.onThread(Thread.currentThread().getName()), terms.ttl())
			.withLimit(this.defaults.limit(request))
			.withReserve(this.reserve);
		LockAcquisition acquisition = new LockAcquisition(this.client, request, claim, terms, begun);
		this.claimEvents.claiming(acquisition);
		return acquisition;
	}

	private String token() {
		byte[] bytes = new byte[TOKEN_BYTES];
		this.tokens.nextBytes(bytes);
		return HexFormat.of().formatHex(bytes);
	}

}
