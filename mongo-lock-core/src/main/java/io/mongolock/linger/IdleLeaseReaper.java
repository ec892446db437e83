package io.mongolock.linger;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.mongolock.LockClock;
import io.mongolock.LockRequest;
import io.mongolock.background.BackgroundTask;
import io.mongolock.background.StoreWatch;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Division;
import io.mongolock.core.HeldLock;
import io.mongolock.core.WakeUp;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.RecallListener;
import io.mongolock.store.StoreSubscription;

/**
 * Runs the {@link IdleLeases} of a client without a thread of its own. The loop of the
 * client says when to run, and the threads of renewals release the leases, many with one
 * request. Recalls are watched while there are idle leases, and for a while after.
 * Thread-safe.
 */
public final class IdleLeaseReaper extends IdleLeases implements BackgroundTask, RecallListener, StoreWatch.Watcher {

	/** One more request opens or closes the watch. */
	private static final int MAX_RELEASES = MAX_REQUESTS - 1;

	private static final int MAX_BATCH = 500;

	private static final long RETRY = 100_000_000;

	private final LockStore store;

	private final LockClock clock;

	private final LockEvents events;

	private final UnaryOperator<List<HeldLock>> release;

	private final StoreWatch recalls;

	private final AtomicInteger releasing = new AtomicInteger();

	/** Whether leases are kept. */
	private volatile boolean running;

	private final WakeUp wake = new WakeUp();

	/**
	 * Create a reaper without leases.
	 * @param handOn hands an idle lease to the first waiter, if it suits that waiter;
	 * must not block
	 * @param release releases leases together and lets the next attempts ask; returns
	 * leases that are not released yet because the client stops
	 */
	public IdleLeaseReaper(LockStore store, LockClock clock, ClientQueues queues, LockEvents events,
			Predicate<HeldLock> handOn, UnaryOperator<List<HeldLock>> release) {
		super(queues, handOn);
		this.store = store;
		this.clock = clock;
		this.events = events;
		this.release = release;
		this.recalls = new StoreWatch(this, clock);
	}

	@Override
	public void start(Runnable wake) {
		this.recalls.start();
		this.wake.set(wake);
		this.running = true;
		onWork(wake);
	}

	@Override
	public boolean keep(HeldLock held, ClockReading now, Runnable ended) {
		return this.running && super.keep(held, now, ended);
	}

	@Override
	public void recalled(LeaseId holder) {
		LockRequest recalled = recall(holder);
		if (recalled != null) {
			this.events.recalled(recalled);
		}
	}

	@Override
	public StoreSubscription subscribe() {
		return this.store.watchRecalls(this);
	}

	@Override
	public long watchFor() {
		return watchFor(now());
	}

	@Override
	public void missed() {
		missed(now());
	}

	@Override
	public long run(ClockReading now, Executor requests) {
		this.recalls.run(now, requests);
		long next = this.recalls.nextIn(now);
		if (!mayRelease()) {
			// If too many releases are underway, the end of one wakes the loop
			return next;
		}
		boolean running = this.running;
		// A lease may have been taken off the list before the stop, and be due only now
		List<HeldLock> due = (running) ? due(this.recalls.isLive(), now) : takeToRelease();
		for (List<HeldLock> batch : Division.batches(due, MAX_BATCH)) {
			if (!begin(batch, requests)) {
				next = RETRY;
			}
		}
		return (next == RETRY || !running || !mayRelease()) ? next : Math.min(next, nextIn(now));
	}

	private boolean mayRelease() {
		return this.releasing.get() < MAX_RELEASES;
	}

	private boolean begin(List<HeldLock> batch, Executor requests) {
		this.releasing.incrementAndGet();
		try {
			requests.execute(() -> release(batch));
			return true;
		}
		catch (RuntimeException | Error ex) {
			// No thread can be started now, or the client has stopped meanwhile
			this.releasing.decrementAndGet();
			unsent(batch);
			return false;
		}
	}

	private void release(List<HeldLock> batch) {
		List<HeldLock> left = batch;
		try {
			left = this.release.apply(batch);
		}
		finally {
			this.releasing.decrementAndGet();
			unsent(left);
			this.wake.run();
		}
	}

	// Leases that were taken before are still released, or come back
	@Override
	public List<HeldLock> stop() {
		this.running = false;
		this.recalls.stop();
		return super.stop();
	}

	@Override
	public void awaitEnd(Duration timeout) {
		this.recalls.awaitEnd(timeout);
	}

	private ClockReading now() {
		return ClockReading.of(this.clock);
	}

}
