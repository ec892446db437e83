package io.mongolock.client;

import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
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
import io.mongolock.core.IdleLeases.IdleLease;
import io.mongolock.core.LocalLease;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.QueuePlaces;
import io.mongolock.core.RequestOrder;
import io.mongolock.event.AttemptEvents;
import io.mongolock.event.LockEvents;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * {@link LockOperations} on a {@link LockStore}: of one lock, or of several that share
 * the time they wait. Has the parts of the client, makes the attempts, which the drivers
 * run, and says how the parts start and stop together. Starts with the first request or
 * {@link #start()}; takes no requests between {@link #stop} and the next
 * {@link #start()}. Before a stop holders may have time, which {@link #awaitUnused} gives
 * them; what they hold beyond that {@link #stop} cuts off. Thread-safe.
 */
public final class LockTemplate implements LockOperations {

	/** As good as forever; no server grants a request more than 24 days. */
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

	private final IdleLeaseReaper idle;

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
		this.queues = new ClientQueues(new QueuePlaces(options.placeTtl(), options.maxPlaces(), runtime.random()));
		Supplier<ClientThreads> itsThreads = this::threads;
		this.places = new QueueMaintenance(store, clock, this.queues.places(), itsThreads, this.stopRequests);
		this.idle = new IdleLeaseReaper(store, clock, this.queues, this.events, this::releaseInBackground, itsThreads);
		this.deadlocks = new DeadlockWatch(store, clock, this.events, options.onDeadlock(),
				configured.terms().operationTimeout(), new LookRequests());
		this.phase = new ClientLifecycle(runtime, (threads) -> new ClientLoop(store, clock, threads.renewals(),
				this.events, List.of(this.places, this.idle, this.deadlocks), this.releaseRequests, runtime));
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
			// The first may have been lost while the last was waited for
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
			// If all are held, it is what the callback has thrown
			throw (held.size() < requests.size()) ? LockExceptions.orLoss(held.subList(0, next), ex) : ex;
		}
		finally {
			// Each in its turn, before it is released
			if (next > 0 && held.size() != requests.size()) {
				unused(held.get(next - 1));
			}
		}
	}

	// The wait of each of several counts from the beginning of the call, not from its
	// turn; with nothing left it asks once
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
	@SuppressWarnings("try") // closing is what the resource is for
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(List<LockRequest> requests,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		List<LockRequest> sorted = RequestOrder.of(requests, this.configured, "one call");
		UnaryOperator<LockRequest> waits = restOfWait(sorted);
		StackFrame caller = this.handles.caller();
		List<LockHandle> shared = new ArrayList<>();
		try {
			// All of them now: who asks for the later ones does not know what this
			// thread holds
			List<LockRequest> claims = sorted.stream().filter((request) -> !share(request, shared, caller)).toList();
			if (!claims.isEmpty()) {
				return execution(callback, this.callerContext).run(shared, claims.iterator(),
						(request) -> claimAsync(waits.apply(request), (handle) -> this.handles.watch(handle, caller)));
			}
			// Begins on this thread, which carries all that it does
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
	 * Renew what this client holds of a key now instead of when it is due, so that a loss
	 * is noticed and published at once.
	 * @throws io.mongolock.LockStoreException if the store could not be asked; what is
	 * held is then held for as long as before
	 */
	public void renew(String key) {
		this.holds.renew(key);
	}

	/**
	 * A lock was broken on purpose: publish that, and let the next of this client ask for
	 * it.
	 */
	public void broken(String key, LockHolder holder) {
		this.events.broken(key, holder);
		takenByForce(key, holder);
	}

	/**
	 * A lock was taken by force in the store: who holds it here has lost it at once, and
	 * nobody takes its lease here any more if that is idle.
	 */
	public void takenByForce(String key, LockHolder holder) {
		this.holds.broken(key, holder.fence());
	}

	/**
	 * Take requests. Has no effect while running. What was held when claims were
	 * {@link #stopClaims stopped} goes on.
	 */
	public void start() {
		this.phase.start();
	}

	/**
	 * Take no more requests for locks, end all waiting, and release what nobody uses:
	 * idle leases and places in the queue. A lock in use is renewed as before, until its
	 * holder is done or {@link #stop} cuts it off. Nothing is granted after this, unless
	 * a request to the store takes longer than the budget.
	 * @param budget how long this may take
	 */
	public void stopClaims(Duration budget) {
		uninterrupted(() -> stopClaims(time(budget)));
	}

	private void stopClaims(TimeLeft time) {
		this.phase.stopClaims();
		releaseUnused(time);
		// They may still be granted what they have claimed
		this.phase.awaitRequests(time.left());
		// What was left idle, or took a place, meanwhile
		releaseUnused(time);
		this.places.awaitEnd(time.left());
		this.idle.awaitEnd(time.left());
	}

	// An interrupt from before keeps the thread from nothing of that
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
		this.queues.stop();
		this.idle.stopClaims();
		this.holds.releaseIdle(time);
		this.places.leaveAll(time);
	}

	/**
	 * Wait until nobody relies on a lock any more, but for those that the current thread
	 * holds: they end only after this.
	 * @param atMost how long to wait
	 */
	public void awaitUnused(Duration atMost) {
		Set<HeldLock> own = this.handles.own();
		uninterrupted(() -> this.holds.awaitUnused(own, time(atMost)));
	}

	/**
	 * Take no more requests, end all waiting, renew nothing more, and cut off what is
	 * still held, many locks with one request: its holders are notified that they lost
	 * it, and it stays taken for its margin, 6 s at most, as their work may go on. No
	 * request to the store begins after this, and those underway have ended unless they
	 * take longer than the budget.
	 * @param budget how long this may take; a lock that could not be cut off at that time
	 * runs out by itself
	 */
	public void stop(Duration budget) {
		uninterrupted(() -> stop(time(budget)));
	}

	private void stop(TimeLeft time) {
		this.phase.stop();
		this.queues.stop();
		this.idle.stop();
		giveBack(time);
		this.phase.awaitRequests(time.left());
		this.phase.close();
		this.handles.stop();
		this.events.flushLog(time.left());
		this.phase.awaitRenewals(time.left());
		// What those that ended now were granted, or were to release or leave
		giveBack(time);
		this.places.awaitEnd(time.left());
		this.idle.awaitEnd(time.left());
		// After this the application may end what its listeners need; yet one of them may
		// itself wait for this
		this.events.awaitLosses(ClockReading.shorter(time.left().dividedBy(2), MAX_HEARING));
		// Last: what is blocked holds up nothing else
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
	 * Whether requests are taken.
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
	 * The leases that this client keeps though nobody holds the locks.
	 */
	public List<IdleLease> idle() {
		return this.queues.idle().all();
	}

	/**
	 * What this client has of a lease that stands in the store.
	 * @return the lease, or {@code null} if it is another's, or about to be released
	 */
	public @Nullable LocalLease find(LeaseId id) {
		return this.queues.idle().find(id, this.holds.now());
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

	@SuppressWarnings("try") // closing is what the resources are for
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

	// What others shared, they may have worked under
	static void unused(LockHandle handle) {
		if (handle instanceof LeaseHandle lease && !lease.heldLock().state().wasShared()) {
			lease.heldLock().state().waiveMinHold();
		}
	}

	/**
	 * Acquire a lock on the current thread.
	 * @return a handle on the lock, or on what the thread or its transaction holds
	 * already
	 */
	LeaseHandle claim(LockRequest request) {
		LeaseHandle shared = this.handles.shareOwn(request);
		return (shared != null) ? shared : this.handles.of(blocking(request).acquire());
	}

	/**
	 * Acquire a lock that the current thread does not hold, without a thread that waits.
	 * @param handOut is given the handle before anybody else, and returns it or throws
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
		LockAcquisition acquisition = new LockAcquisition(this.queues, attempt, this.reserve, this.holds::lost);
		this.attemptEvents.attempting(acquisition);
		return acquisition;
	}

	private void releaseInBackground(HeldLock heldLock) {
		this.releaser.releaseInBackground(heldLock);
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

	private final class LookRequests implements DeadlockWatch.Requests {

		@Override
		public List<GrantId> grants() {
			return LockTemplate.this.handles.grants();
		}

		@Override
		public boolean mayLook() {
			return isRunning();
		}

		@Override
		public Executor threads() {
			return LockTemplate.this.threads().looks();
		}

	}

}
