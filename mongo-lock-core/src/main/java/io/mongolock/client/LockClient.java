package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockExplanation;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.QueuePlaces;
import io.mongolock.event.AttemptEvents;
import io.mongolock.event.LockEvents;
import io.mongolock.event.RenewalEvents;
import io.mongolock.store.GrantId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * One client: the parts that it consists of, and how they start and stop together. Before
 * a stop holders may have time, which {@link #awaitUnused} gives them; what they hold
 * beyond that {@link #stop} cuts off. Makes the attempts at locks, which the drivers run.
 * Thread-safe.
 */
final class LockClient {

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

	LockClient(LockStore store, ClientOptions options, ClientRuntime runtime) {
		LockClock clock = options.clock();
		ConfiguredSettings configured = options.configured();
		this.store = store;
		this.configured = configured;
		this.owner = options.owner();
		this.clock = clock;
		this.runtime = runtime;
		this.events = new LockEvents(options.listeners(), clock, runtime::daemons);
		this.attemptEvents = this.events.ofClaims(store.servers());
		RenewalEvents renewalEvents = this.events.ofRenewals();
		this.releaseRequests = new ReleaseRequestPoller(store, renewalEvents);
		this.stopRequests = new StopRequests(runtime);
		this.queues = new ClientQueues(new QueuePlaces(options.placeTtl(), options.maxPlaces(), runtime::random));
		Supplier<ClientThreads> itsThreads = this::threads;
		this.places = new QueueMaintenance(store, clock, this.queues.places(), itsThreads, this.stopRequests);
		this.idle = new IdleLeaseReaper(store, clock, this.queues, this.events, this::releaseInBackground, itsThreads);
		this.deadlocks = new DeadlockWatch(store, clock, this.events, options.onDeadlock(),
				configured.terms().operationTimeout(), new LookRequests(), () -> itsThreads.get().looks());
		this.phase = new ClientLifecycle(runtime, (threads) -> new ClientLoop(store, clock, threads.renewals(),
				renewalEvents, List.of(this.places, this.idle, this.deadlocks), this.releaseRequests, runtime));
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

	private void releaseInBackground(HeldLock heldLock) {
		this.releaser.releaseInBackground(heldLock);
	}

	LockEvents events() {
		return this.events;
	}

	ClientQueues queues() {
		return this.queues;
	}

	HoldRegistry holds() {
		return this.holds;
	}

	LockHandles handles() {
		return this.handles;
	}

	ClientThreads threads() {
		return this.phase.threads();
	}

	/**
	 * Acquire a lock on the current thread. The first one starts the client.
	 * @return a handle on the lock, or on what the thread or its transaction holds
	 * already
	 * @throws io.mongolock.LockUnavailableException if others hold the lock when the wait
	 * is over, the thread is interrupted or the client was stopped
	 */
	LeaseHandle acquire(LockRequest request) {
		LeaseHandle shared = this.handles.shareOwn(request);
		return (shared != null) ? shared : this.handles.of(blocking(request).acquire());
	}

	/**
	 * Acquire a lock on the current thread, unless others hold it.
	 * @return a handle as from {@link #acquire}, or {@code null} if others hold the lock
	 * when the wait is over
	 * @throws io.mongolock.LockUnavailableException if the thread is interrupted or the
	 * client was stopped
	 */
	@Nullable LeaseHandle tryAcquire(LockRequest request) {
		LeaseHandle shared = this.handles.shareOwn(request);
		HeldLock held = (shared != null) ? null : blocking(skipping(request)).tryAcquire();
		return (held != null) ? this.handles.of(held) : shared;
	}

	/**
	 * Acquire a lock without a thread that waits.
	 * @param handOut is given the handle before anybody else, and returns it or throws
	 * @throws io.mongolock.LockUnavailableException if the client was stopped
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request, UnaryOperator<LeaseHandle> handOut) {
		LeaseHandle shared = this.handles.shareOwn(request);
		return (shared != null) ? CompletableFuture.completedFuture(handOut.apply(shared))
				: claimAsync(request, handOut);
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

	/**
	 * Ask the holders of a lock to release it.
	 * @param by who asks, {@code null} for this thread
	 * @throws io.mongolock.LockUnavailableException if the client was stopped
	 */
	int requestRelease(String key, String reason, @Nullable String by) {
		String asking = (by != null) ? by : this.owner.onThread(Thread.currentThread().getName()).toString();
		return ask(key, (timeout) -> this.releaseRequests.ask(key, reason, asking, timeout));
	}

	/**
	 * Look who holds a lock, and who waits for it.
	 * @throws io.mongolock.LockUnavailableException if the client was stopped
	 */
	LockExplanation explain(String key) {
		StoredLock lock = ask(key, (timeout) -> this.store.find(key, timeout)).orElse(null);
		int waitingHere = this.queues.waiting(key);
		return (lock != null) ? LockExceptions.explain(key, lock.liveHolders(), lock.liveWaiters(), waitingHere)
				: LockExceptions.explain(key, List.of(), List.of(), waitingHere);
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

	void start() {
		this.phase.start();
	}

	/**
	 * End all waiting, grant nothing more, and release what nobody uses. Locks in use are
	 * renewed until their holders are done.
	 * @param budget how long this may take, a day at most
	 */
	void stopClaims(Duration budget) {
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
	 * Wait until nobody relies on a lock any more, except for the current thread.
	 * @param atMost how long to wait, a day at most
	 */
	void awaitUnused(Duration atMost) {
		Set<HeldLock> own = this.handles.own();
		uninterrupted(() -> this.holds.awaitUnused(own, time(atMost)));
	}

	/**
	 * End all waiting, cut off what is still held, and end the threads.
	 * @param budget how long this may take, a day at most
	 */
	void stop(Duration budget) {
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

	boolean isRunning() {
		return this.phase.isRunning();
	}

	private final class LookRequests implements DeadlockWatch.Requests {

		@Override
		public List<GrantId> grants() {
			return LockClient.this.handles.grants();
		}

		@Override
		public boolean mayLook() {
			return isRunning();
		}

	}

}
