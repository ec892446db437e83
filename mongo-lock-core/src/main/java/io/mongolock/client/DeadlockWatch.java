package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockClock;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Deadlock;
import io.mongolock.core.DeadlockSearch;
import io.mongolock.core.Deadlocks;
import io.mongolock.core.LockAcquisition;
import io.mongolock.event.LockEvents;
import io.mongolock.store.GrantId;
import io.mongolock.store.LockStore;

/**
 * Looks whether attempts that wait while their callers hold other locks are in a
 * {@link DeadlockSearch deadlock}: all of them together, first when one has waited for a
 * second, then ever less often. Has no thread of its own, as the {@link ClientLoop} says
 * when, and only reads. Thread-safe: one look at a time.
 */
final class DeadlockWatch implements BackgroundTask {

	private static final Log logger = LogFactory.getLog(DeadlockWatch.class);

	private static final long FIRST = 1_000_000_000;

	/** Between the two looks that have to see the same. */
	private static final long AGAIN = 500_000_000;

	private static final long SELDOM = 5_000_000_000L;

	private final LockStore store;

	private final LockClock clock;

	private final LockEvents events;

	private final Duration timeout;

	private final Requests requests;

	private final Deadlocks deadlocks = new Deadlocks();

	/** Those who wait, with the time of their next look by the monotonic clock. */
	private final Map<LockAcquisition, Long> waiting = new ConcurrentHashMap<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	/** Not to look before, by the monotonic clock. */
	private volatile long notBefore;

	private volatile Runnable wake = () -> {
	};

	/**
	 * Create a watch over nobody.
	 * @param timeout how long each request to the store may take
	 */
	DeadlockWatch(LockStore store, LockClock clock, LockEvents events, Duration timeout, Requests requests) {
		this.store = store;
		this.clock = clock;
		this.events = events;
		this.timeout = timeout;
		this.requests = requests;
		this.notBefore = clock.nanoTime();
	}

	/**
	 * An attempt has to wait, on the thread of its caller.
	 * @return whether it holds other locks, so that its {@link #ended end} is to follow
	 */
	boolean waits(LockAcquisition acquisition) {
		List<GrantId> holds = this.requests.grants();
		if (holds.isEmpty()) {
			return false;
		}
		acquisition.waits(holds);
		this.waiting.put(acquisition, acquisition.attempt().begun().nanos() + FIRST);
		this.wake.run();
		return true;
	}

	/**
	 * An attempt has ended.
	 */
	void ended(LockAcquisition acquisition) {
		this.waiting.remove(acquisition);
	}

	@Override
	public void start(Runnable wake) {
		this.wake = wake;
	}

	@Override
	public long run(ClockReading now, Executor executor) {
		if (this.waiting.isEmpty() || this.looking.get()) {
			return ClockReading.NEVER;
		}
		long next = this.waiting.values().stream().mapToLong((due) -> due - now.nanos()).min().orElse(FIRST);
		long left = Math.max(next, this.notBefore - now.nanos());
		if (left > 0 || !this.looking.compareAndSet(false, true)) {
			return left;
		}
		this.notBefore = now.nanos() + AGAIN;
		try {
			executor.execute(this::look);
			return ClockReading.NEVER;
		}
		catch (RuntimeException | Error ex) {
			// No thread can be started now
			this.looking.set(false);
			return AGAIN;
		}
	}

	private void look() {
		Set<LockAcquisition> all = Set.copyOf(this.waiting.keySet());
		try {
			DeadlockSearch search = new DeadlockSearch(all.stream().map(LockAcquisition::toWaiter).toList());
			if (read(search)) {
				Set<Deadlock> news = this.deadlocks.looked(search.deadlocks());
				all.forEach(this::tell);
				news.forEach((deadlock) -> this.events.deadlocked(deadlock.toLockDeadlock()));
			}
		}
		catch (RuntimeException ex) {
			logger.debug("It is unknown whether those who wait for locks wait for each other; looked again later", ex);
		}
		finally {
			long now = this.clock.nanoTime();
			this.notBefore = now + AGAIN;
			all.forEach((acquisition) -> lookAgain(acquisition, now));
			this.looking.set(false);
			this.wake.run();
		}
	}

	private boolean read(DeadlockSearch search) {
		List<String> keys = search.next();
		for (int step = 0; step < DeadlockSearch.MAX && !keys.isEmpty(); step++) {
			if (!this.requests.begin()) {
				return false;
			}
			try {
				search.found(this.store.findQueues(keys, this.timeout));
			}
			finally {
				this.requests.end();
			}
			keys = search.next();
		}
		return true;
	}

	private void tell(LockAcquisition acquisition) {
		this.deadlocks.of(acquisition.attempt().id()).map(Deadlock::toLockDeadlock).ifPresent(acquisition::deadlocked);
	}

	private void lookAgain(LockAcquisition acquisition, long now) {
		Attempt attempt = acquisition.attempt();
		long pause = (this.deadlocks.isSuspected(attempt.id())) ? AGAIN
				: Math.min(SELDOM, Math.max(FIRST, now - attempt.begun().nanos()));
		Long due = this.waiting.get(acquisition);
		if (due != null && due - now <= 0) {
			this.waiting.replace(acquisition, now + pause);
		}
	}

	/**
	 * What a client lets its watch do.
	 */
	interface Requests {

		/**
		 * The grants that the current thread holds and cannot end while it waits.
		 */
		List<GrantId> grants();

		/**
		 * Begin a request to the store.
		 * @return whether one may be sent; if so, {@link #end} must follow
		 */
		boolean begin();

		void end();

	}

}
