package io.mongolock.client;

import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockCallback;
import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockExplanation;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.background.BackgroundTask;
import io.mongolock.concurrent.AsyncExecution;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.LossInterruption;
import io.mongolock.concurrent.ThreadLock;
import io.mongolock.concurrent.ThreadReadWriteLock;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HeldLock;
import io.mongolock.core.HoldState;
import io.mongolock.core.LocalLease;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.QueuePlaces;
import io.mongolock.core.RequestOrder;
import io.mongolock.event.AttemptEvents;
import io.mongolock.event.LockEvents;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.linger.IdleLeaseReaper;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * {@link LockOperations} on a {@link LockStore}, for one lock, or for several locks that
 * share the time to wait. This class has the parts of the client, makes the attempts that
 * the drivers run, and decides in which order the parts start and stop. It starts with
 * the first request or with {@link #start()}. It takes no requests between {@link #stop}
 * and the next {@link #start()}. {@link #awaitUnused} gives holders time before a stop,
 * and {@link #stop} cuts off the locks that are still held. Thread-safe.
 */
public final class LockTemplate implements LockOperations {

	/** Practically without end. A server allows a request at most 24 days. */
	private static final Duration MAX_STOP = Duration.ofDays(1);

	private static final Duration MAX_HEARING = Duration.ofSeconds(5);

	private final LockStore store;

	private final ConfiguredSettings configured;

	private final LockOwner owner;

	private final LockClock clock;

	private final ClientRuntime runtime;

	private final Tokens tokens = new Tokens();

	private final ClientQueues queues;

	private final ClientLifecycle phase;

	private final LockEvents events;

	private final AttemptEvents attemptEvents;

	private final HoldRegistry holds;

	private final LockHandles handles;

	private final ReleaseRequestPoller releaseRequests;

	private final QueueMaintenance places;

	private final StopRequests stopRequests;

	private final AtomicBoolean lingers = new AtomicBoolean();

	private final LockReleaser releaser;

	private final DeadlockWatch deadlocks;

	private final int reserve;

	private final ClaimSender sender;

	private final CallerContext callerContext;

	/**
	 * Create a client of a store.
	 */
	public LockTemplate(LockStore store, ClientOptions options) {
		this(store, options, new ClientRuntime());
	}

	LockTemplate(LockStore store, ClientOptions options, ClientRuntime runtime) {
		LockClock clock = options.clock();
		ConfiguredSettings configured = options.configured();
		this.store = store;
		this.configured = configured;
		this.owner = options.owner();
		this.clock = clock;
		this.runtime = runtime;
		this.callerContext = options.callerContext();
		this.events = new LockEvents(options.listeners(), clock, runtime::daemons);
		this.attemptEvents = this.events.ofClaims(store.servers());
		this.releaseRequests = new ReleaseRequestPoller(store, this.events);
		this.stopRequests = new StopRequests(runtime);
		this.queues = new ClientQueues(new QueuePlaces(options.placeTtl(), options.maxPlaces(), runtime.random()),
				this::isRunning);
		Supplier<ClientThreads> itsThreads = this::threads;
		this.places = new QueueMaintenance(store, clock, this.queues.places(), itsThreads, this.stopRequests);
		this.deadlocks = new DeadlockWatch(store, clock, this.events, options.onDeadlock(),
				configured.terms().operationTimeout(), this::grants, this::isRunning,
				(look) -> threads().looks().execute(look));
		List<BackgroundTask> tasks = new CopyOnWriteArrayList<>(List.of(this.places, this.deadlocks));
		this.phase = new ClientLifecycle(runtime, (threads) -> new ClientLoop(store, clock, threads.renewals(),
				this.events, tasks, this.releaseRequests, runtime));
		ReleaseSender releases = new ReleaseSender(store, clock, this.phase);
		OrphanReleaser orphans = new OrphanReleaser(store, clock, this.phase, releases);
		store.servers().onPrimaryChange(() -> {
			this.phase.loop().primaryChanged();
			releases.primaryChanged();
		});
		this.releaser = new LockReleaser(store, clock, this.events, this.phase, releases, orphans, this.stopRequests);
		this.holds = new HoldRegistry(clock, this.queues, this.phase, this.releaser, this.events, options.handOver(),
				runtime);
		this.handles = new LockHandles(this.holds, configured, options.leakDetection(),
				runtime.daemons("mongo-lock-leaks"), itsThreads);
		this.reserve = options.handOver().reserve();
		this.sender = new ClaimSender(store, clock, this.phase, this.holds, orphans, this.attemptEvents);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E {
		try (LeaseHandle handle = claim(request)) {
			return run(handle, callback);
		}
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(List<LockRequest> requests,
			LockCallback<T, E> callback) throws E {
		List<LockRequest> sorted = RequestOrder.of(requests, this.configured, "one call");
		return execute(sorted, restOfWait(sorted), new ArrayList<>(), callback);
	}

	private <T extends @Nullable Object, E extends Throwable> T execute(List<LockRequest> requests,
			UnaryOperator<LockRequest> waits, List<LockHandle> held, LockCallback<T, E> callback) throws E {
		int next = held.size();
		if (next == requests.size()) {
			// The first lock may have been lost while the call waited for the last one
			held.forEach(LockHandle::assertHeld);
			return callback.doWithLock(held.get(next - 1));
		}
		try {
			return execute(waits.apply(requests.get(next)), (handle) -> {
				held.add(handle);
				return execute(requests, waits, held, callback);
			});
		}
		catch (LockUnavailableException | LockStoreException ex) {
			// If all locks are held, the callback has thrown the exception
			throw (held.size() < requests.size()) ? LockExceptions.orLoss(held.subList(0, next), ex) : ex;
		}
		finally {
			// The callback has not run, so mark the previous lock as unused before it is
			// released
			if (next > 0 && held.size() != requests.size()) {
				unused(held.get(next - 1));
			}
		}
	}

	// If there are several locks, the wait of each counts from the beginning of the call,
	// not from its turn. A lock without time left asks once
	private UnaryOperator<LockRequest> restOfWait(List<LockRequest> requests) {
		if (requests.size() == 1) {
			return UnaryOperator.identity();
		}
		long begun = this.clock.nanoTime();
		return (request) -> {
			Duration left = this.configured.terms(request).waitTimeout().minusNanos(this.clock.nanoTime() - begun);
			return request
				.with(LockSettings.builder().waitTimeout(Duration.ofMillis(Math.max(0, left.toMillis()))).build());
		};
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		StackFrame caller = this.handles.caller();
		return this.handles.watch(claim(request), caller);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		StackFrame caller = this.handles.caller();
		LeaseHandle shared = this.handles.shareOwn(request);
		HeldLock held = (shared != null) ? null : blocking(skipping(request)).tryAcquire();
		return Optional.ofNullable((held != null) ? this.handles.of(held) : shared)
			.map((acquired) -> this.handles.watch(acquired, caller));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		StackFrame caller = this.handles.caller();
		LeaseHandle shared = this.handles.shareOwn(request);
		return (shared != null) ? CompletableFuture.completedFuture(this.handles.watch(shared, caller))
				: claimAsync(request, (handle) -> this.handles.watch(handle, caller));
	}

	@Override
	@SuppressWarnings("try") // the resource is there only to be closed
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(List<LockRequest> requests,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		List<LockRequest> sorted = RequestOrder.of(requests, this.configured, "one call");
		UnaryOperator<LockRequest> waits = restOfWait(sorted);
		StackFrame caller = this.handles.caller();
		List<LockHandle> shared = new ArrayList<>();
		try {
			// Share all own locks now, because later claims begin on threads that do not
			// hold them
			List<LockRequest> claims = sorted.stream().filter((request) -> !share(request, shared, caller)).toList();
			if (!claims.isEmpty()) {
				return execution(callback, this.callerContext).run(shared, claims.iterator(),
						(request) -> claimAsync(waits.apply(request), (handle) -> this.handles.watch(handle, caller)));
			}
			// The work begins on this thread, which has the whole context already
			try (LockInstrumentation.Scope begun = this.callerContext.begin()) {
				return execution(callback, CallerContext.NONE).run(shared);
			}
		}
		catch (RuntimeException | Error ex) {
			shared.forEach((handle) -> AsyncExecution.close(handle, ex));
			throw ex;
		}
	}

	private boolean share(LockRequest request, List<LockHandle> shared, @Nullable StackFrame caller) {
		LeaseHandle own = this.handles.shareOwn(request);
		return own != null && shared.add(this.handles.watch(own, caller));
	}

	private <T extends @Nullable Object> AsyncExecution<T> execution(
			LockCallback<? extends CompletionStage<T>, ?> callback, CallerContext callerContext) {
		return new AsyncExecution<>(callback, this::working, LockTemplate::interrupting, LockTemplate::unused,
				this::complete, callerContext);
	}

	@Override
	public Lock asLock(LockRequest request) {
		return new ThreadLock(this, this.configured, request);
	}

	@Override
	public ReadWriteLock asReadWriteLock(LockRequest request) {
		return new ThreadReadWriteLock(this, this.configured, request);
	}

	@Override
	public LockExplanation explain(String key) {
		Optional<StoredLock> lock = ask(key, (timeout) -> this.store.find(key, timeout));
		return LockExceptions.explain(key, lock.map(StoredLock::liveHolders).orElse(List.of()),
				lock.map(StoredLock::liveWaiters).orElse(List.of()), waiting(key));
	}

	@Override
	public int requestRelease(String key, String reason) {
		return requestRelease(key, reason, this.owner.onThread(Thread.currentThread().getName()).toString());
	}

	@Override
	public int requestRelease(String key, String reason, String by) {
		return ask(key, (timeout) -> this.releaseRequests.ask(key, reason, by, timeout));
	}

	private <T> T ask(String key, Function<Duration, T> request) {
		if (!this.phase.startIfNew() || !this.phase.beginClaim()) {
			throw LockExceptions.stopped(key);
		}
		try {
			return request.apply(this.configured.terms().operationTimeout());
		}
		finally {
			this.phase.endRequest();
		}
	}

	/**
	 * Renew all leases that this client holds for a key now, even if they are not due, so
	 * that a loss is noticed and published at once.
	 * @throws io.mongolock.LockStoreException if the store could not be asked; the locks
	 * are then held for as long as before
	 */
	public void renew(String key) {
		this.holds.renew(key);
	}

	/**
	 * Publish that a lock was broken on purpose, and let the next attempt of this client
	 * ask for the lock.
	 */
	public void broken(String key, LockHolder holder) {
		this.events.broken(key, holder);
		takenByForce(key, holder);
	}

	/**
	 * Note that a lock was taken by force in the store. If this client has the holder,
	 * the holder loses the lock at once. If the lease is idle, no attempt of this client
	 * takes it any more.
	 */
	public void takenByForce(String key, LockHolder holder) {
		this.holds.broken(key, holder.fence());
	}

	/**
	 * Take requests. This has no effect while the client runs. Locks that are still held
	 * after {@link #stopClaims} stay held.
	 */
	public void start() {
		this.phase.start();
	}

	/**
	 * Take no more requests for locks, end all waiting, and release what is not in use:
	 * idle leases and places in the queue. A lock in use is renewed as before, until its
	 * holder is done or {@link #stop} cuts it off. No lock is granted after this call,
	 * unless a request to the store takes longer than the budget.
	 * @param budget how long this may take
	 */
	public void stopClaims(Duration budget) {
		uninterrupted(() -> stopClaims(time(budget)));
	}

	private void stopClaims(TimeLeft time) {
		this.phase.stopClaims();
		this.queues.stop();
		releaseUnused(time);
		// Claims that are underway may still be granted
		this.phase.awaitRequests(time.left());
		// Meanwhile, leases may have become idle, and attempts may have taken places
		releaseUnused(time);
		awaitEnd(time);
	}

	private void awaitEnd(TimeLeft time) {
		this.places.awaitEnd(time.left());
		this.queues.linger().awaitEnd(time.left());
	}

	// An interrupt from before the call must not prevent the requests
	private static void uninterrupted(Runnable requests) {
		boolean interrupted = Thread.interrupted();
		try {
			requests.run();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void releaseUnused(TimeLeft time) {
		this.holds.releaseIdle(time);
		this.places.leaveAll(time);
	}

	/**
	 * Wait until no lock is in use any more. Locks held by the current thread do not
	 * count, because they end only after this call.
	 * @param atMost how long to wait
	 */
	public void awaitUnused(Duration atMost) {
		Set<HeldLock> own = this.handles.own();
		uninterrupted(() -> this.holds.awaitUnused(own, time(atMost)));
	}

	/**
	 * Take no more requests, end all waiting, renew no more leases, and cut off the locks
	 * that are still held, many with one request. Their holders learn of the loss. The
	 * locks stay taken for their margin, 6 s at most, because the work may go on. No
	 * request to the store begins after this call. Requests underway have ended, unless
	 * they take longer than the budget, or an interrupt meanwhile ends the waiting.
	 * @param budget how long this may take; a lock that could not be cut off in this time
	 * runs out by itself
	 */
	public void stop(Duration budget) {
		uninterrupted(() -> stop(time(budget)));
	}

	private void stop(TimeLeft time) {
		this.phase.stop();
		this.queues.stop();
		giveBack(time);
		this.phase.awaitRequests(time.left());
		this.phase.close();
		// If another thread has called start meanwhile, attempts may have joined
		this.queues.stop();
		this.handles.stop();
		this.events.flushLog(time.left());
		this.phase.awaitRenewals(time.left());
		// Give back the locks and places of requests that have ended meanwhile
		giveBack(time);
		awaitEnd(time);
		// After this call, the application may end beans that its listeners need. The
		// wait is limited, because a listener may itself wait for this call
		this.events.awaitLosses(ClockReading.shorter(time.left().dividedBy(2), MAX_HEARING));
		// This comes last, so that blocked documents delay nothing else
		this.stopRequests.awaitAll(time);
	}

	private void giveBack(TimeLeft time) {
		this.holds.cutOffAll(time);
		this.places.leaveAll(time);
	}

	private TimeLeft time(Duration budget) {
		return new TimeLeft(this.clock, ClockReading.shorter(budget, MAX_STOP));
	}

	/**
	 * Whether this client takes requests.
	 * @return whether the client was started, and not stopped since
	 */
	public boolean isRunning() {
		return this.phase.isRunning();
	}

	/**
	 * How many locks are held.
	 */
	public int held() {
		return this.holds.size();
	}

	/**
	 * The leases that this client keeps although no caller holds their locks.
	 * @return the locks as their last holders held them
	 */
	public List<HeldLock> idle() {
		return this.queues.idle();
	}

	/**
	 * Find the lease of this client for a token in the store.
	 * @return the lease, or {@code null} if it belongs to another client
	 */
	public @Nullable LocalLease find(LeaseId id) {
		return this.queues.find(id, this.holds.now());
	}

	/**
	 * How many attempts wait in this JVM.
	 */
	public int waiting() {
		return this.queues.waiting();
	}

	/**
	 * How many attempts at a lock wait in this JVM.
	 */
	public int waiting(String key) {
		return this.queues.waiting(key);
	}

	@SuppressWarnings("try") // the resources are there only to be closed
	private <T extends @Nullable Object, E extends Throwable> T run(LeaseHandle handle, LockCallback<T, E> callback)
			throws E {
		HoldState hold = interrupting(handle);
		handle.work();
		try (LossInterruption interruption = (hold != null) ? LossInterruption.begin(hold, this::complete) : null;
				LockContext.Scope scope = LockContext.enter(handle);
				LockInstrumentation.Scope work = working(handle)) {
			// The thread may have stood still since the grant
			handle.assertHeld();
			return callback.doWithLock(handle);
		}
	}

	private LockInstrumentation.Scope working(LockHandle handle) {
		return (handle instanceof LeaseHandle lease) ? this.events.working(lease.heldLock())
				: LockInstrumentation.Scope.NONE;
	}

	private static @Nullable HoldState interrupting(LockHandle handle) {
		return (handle instanceof LeaseHandle lease && lease.heldLock().request().onLost() == OnLost.INTERRUPT)
				? lease.heldLock().state() : null;
	}

	// If other callers shared the lock, they may have worked under it
	static void unused(LockHandle handle) {
		if (handle instanceof LeaseHandle lease && !lease.heldLock().state().wasShared()) {
			lease.heldLock().state().waiveMinHold();
		}
	}

	/**
	 * Acquire a lock on the current thread.
	 * @return a handle on the lock that was granted, or on the lock that the thread or
	 * its transaction already holds
	 */
	LeaseHandle claim(LockRequest request) {
		LeaseHandle shared = this.handles.shareOwn(request);
		return (shared != null) ? shared : this.handles.of(blocking(request).acquire());
	}

	/**
	 * Acquire a lock that the current thread does not hold, without a thread that waits.
	 * @param handOut is given the handle before all other code, and returns it or throws
	 * an exception
	 * @throws io.mongolock.LockUnavailableException if the client was stopped
	 */
	CompletableFuture<LockHandle> claimAsync(LockRequest request, UnaryOperator<LeaseHandle> handOut) {
		return new AsyncDriver(acquisition(request), this.sender, this.holds, this::threads,
				(heldLock) -> handOut.apply(this.handles.of(heldLock)))
			.start();
	}

	private BlockingDriver blocking(LockRequest request) {
		return new BlockingDriver(acquisition(request), this.sender, this.runtime, this.deadlocks);
	}

	private static LockRequest skipping(LockRequest request) {
		return new LockRequest(request.key(), request.name(), request.settings(), OnUnavailable.SKIP, request.onLost());
	}

	private LockAcquisition acquisition(LockRequest request) {
		ClockReading now = ClockReading.of(this.clock);
		Attempt attempt = Attempt.of(request, this.store.token(this.tokens.next(now)), this.owner,
				Thread.currentThread().getName(), this.configured, now);
		if (!this.phase.startIfNew()) {
			throw LockExceptions.stopped(request.key());
		}
		if (!attempt.terms().linger().isZero() && !this.lingers.get()) {
			beginToLinger();
		}
		LockAcquisition acquisition = new LockAcquisition(this.queues, attempt, this.reserve, this.holds::lost);
		this.attemptEvents.attempting(acquisition);
		return acquisition;
	}

	// Most clients never load its classes
	private void beginToLinger() {
		if (!this.phase.beginClaim()) {
			return;
		}
		try {
			if (this.lingers.compareAndSet(false, true)) {
				IdleLeaseReaper linger = new IdleLeaseReaper(this.store, this.clock, this.queues, this.events,
						this.holds::handOn, this.holds::releaseIdle);
				this.phase.loop().add(linger);
				this.queues.linger(linger);
			}
		}
		finally {
			this.phase.endRequest();
		}
	}

	private void complete(Runnable task) {
		threads().complete(task);
	}

	HoldRegistry holds() {
		return this.holds;
	}

	ClientThreads threads() {
		return this.phase.threads();
	}

	private List<GrantId> grants() {
		return this.handles.grants();
	}

}
