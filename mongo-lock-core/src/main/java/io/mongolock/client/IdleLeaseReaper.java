package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Division;
import io.mongolock.core.HeldLock;
import io.mongolock.core.IdleLeases;
import io.mongolock.core.WakeUp;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.RecallListener;
import io.mongolock.store.StoreSubscription;

/**
 * Runs the {@link IdleLeases} of this client without a thread of its own. The
 * {@link ClientLoop} says when to run, and the threads of renewals release the leases,
 * many with one request. Recalls are watched while there are idle leases, and for a while
 * after. Thread-safe.
 */
final class IdleLeaseReaper implements BackgroundTask, RecallListener, StoreWatch.Watcher {

	private static final Log logger = LogFactory.getLog(IdleLeaseReaper.class);

	private static final int MAX_RELEASES = 8;

	/**
	 * The maximum number of simultaneous requests, one of which opens or closes a watch.
	 */
	static final int MAX_REQUESTS = MAX_RELEASES + 1;

	private static final int MAX_BATCH = 500;

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final LockStore store;

	private final LockClock clock;

	private final ClientQueues queues;

	private final IdleLeases idle;

	private final LockEvents events;

	private final Consumer<HeldLock> releaseInBackground;

	private final Supplier<ClientThreads> threads;

	private final StoreWatch recalls;

	private final AtomicInteger releasing = new AtomicInteger();

	/** Whether idle leases are taken for release. */
	private volatile boolean taking;

	/** Whether leases that were taken are released. */
	private volatile boolean running;

	private final WakeUp wake = new WakeUp();

	/**
	 * Create a reaper without leases.
	 * @param releaseInBackground releases a lock in the background after a release that
	 * failed
	 */
	IdleLeaseReaper(LockStore store, LockClock clock, ClientQueues queues, LockEvents events,
			Consumer<HeldLock> releaseInBackground, Supplier<ClientThreads> threads) {
		this.store = store;
		this.clock = clock;
		this.queues = queues;
		this.idle = queues.idle();
		this.events = events;
		this.releaseInBackground = releaseInBackground;
		this.threads = threads;
		this.recalls = new StoreWatch(this, clock);
	}

	@Override
	public void start(Runnable wake) {
		this.recalls.start();
		this.wake.set(wake);
		this.running = true;
		this.taking = true;
		this.idle.onWork(wake);
	}

	@Override
	public void recalled(LeaseId holder) {
		this.idle.recalled(holder).forEach(this.events::recalled);
	}

	@Override
	public StoreSubscription subscribe() {
		return this.store.watchRecalls(this);
	}

	@Override
	public long watchFor() {
		return this.idle.watchFor(now());
	}

	@Override
	public void missed() {
		this.idle.missed(now());
	}

	@Override
	public long run(ClockReading now, Executor requests) {
		this.recalls.run(now, requests);
		if (this.taking && this.releasing.get() < MAX_RELEASES) {
			List<HeldLock> due = this.idle.due(this.recalls.isLive(), now);
			Division.batches(due, MAX_BATCH).forEach((batch) -> begin(batch, requests));
		}
		// If too many releases are underway, the end of one wakes the loop
		long next = (this.taking && this.releasing.get() < MAX_RELEASES) ? this.idle.nextIn(now) : ClockReading.NEVER;
		return Math.min(next, this.recalls.nextIn(now));
	}

	/**
	 * Take no more leases, because a stop of claims releases all idle leases. Leases that
	 * were taken before are still released, because no other code knows of them.
	 */
	void stopClaims() {
		this.taking = false;
		this.recalls.stop();
	}

	/**
	 * Begin no more requests. Requests underway go on.
	 */
	void stop() {
		this.running = false;
		stopClaims();
	}

	/**
	 * Wait until the server knows that this client no longer listens.
	 */
	void awaitEnd(Duration timeout) {
		this.recalls.awaitEnd(timeout);
	}

	private void begin(List<HeldLock> batch, Executor requests) {
		this.releasing.incrementAndGet();
		try {
			requests.execute(() -> release(batch));
		}
		catch (RuntimeException | Error ex) {
			// No thread can be started now, or the client has stopped meanwhile
			this.releasing.decrementAndGet();
			releaseInBackgroundOrLeave(batch);
		}
	}

	private void release(List<HeldLock> batch) {
		DividedEnding<HeldLock> request = new DividedEnding<>(batch, this::releaseAll,
				(released) -> released.forEach(this.queues::wakeNext));
		try {
			this.threads.get().send(request, timeout(batch));
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Idle leases could not be released yet", ex);
			releaseInBackgroundOrLeave(request.left());
		}
		finally {
			this.releasing.decrementAndGet();
			this.wake.run();
		}
	}

	private void releaseAll(List<HeldLock> some, Duration timeout) {
		if (!this.running) {
			throw new IllegalStateException(
					"This request was not sent, because the client is stopping and will release all idle leases");
		}
		this.store.releaseAll(some.stream().map(HeldLock::id).toList(), timeout);
	}

	// During a stop, the leases go back, because the stop releases all idle leases
	// together
	private void releaseInBackgroundOrLeave(List<HeldLock> batch) {
		if (this.running) {
			batch.forEach(this::releaseInBackground);
		}
		else {
			this.idle.unsent(batch);
		}
	}

	private void releaseInBackground(HeldLock heldLock) {
		try {
			this.releaseInBackground.accept(heldLock);
		}
		catch (RuntimeException | Error ex) {
			// The lease runs out
			logger.debug("An idle lease could not be released, so the lock stays taken until this lease runs out", ex);
		}
		finally {
			this.queues.wakeNext(heldLock);
		}
	}

	private static Duration timeout(List<HeldLock> locks) {
		return locks.stream()
			.map((heldLock) -> heldLock.terms().operationTimeout())
			.reduce(TIMEOUT, ClockReading::shorter);
	}

	private ClockReading now() {
		return ClockReading.of(this.clock);
	}

}
