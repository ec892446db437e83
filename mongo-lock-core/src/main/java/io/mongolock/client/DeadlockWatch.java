package io.mongolock.client;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.background.BackgroundTask;
import io.mongolock.client.ClientOptions.OnDeadlock;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Deadlock;
import io.mongolock.core.DeadlockSearch;
import io.mongolock.core.Deadlocks;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.WakeUp;
import io.mongolock.event.LockEvents;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * Looks for a {@link DeadlockSearch deadlock} among attempts that wait while their
 * callers hold other locks. One look covers all of these attempts. A look comes a second
 * after an attempt has begun to wait, and half a second after a deadlock was seen for the
 * first time. If no attempt comes, looks become less and less frequent. The
 * {@link ClientLoop} says when to look. A look only reads, on a thread that no stop waits
 * for. Thread-safe: there is only one look at a time, and the monitor guards its time.
 */
final class DeadlockWatch implements BackgroundTask {

	private static final Log logger = LogFactory.getLog(DeadlockWatch.class);

	private static final long FIRST = 1_000_000_000;

	/** The time between two looks that must see the same deadlock. */
	private static final long AGAIN = 500_000_000;

	private static final long SELDOM = 5_000_000_000L;

	/** The time in which a deadlock of the same keys is not reported again. */
	private static final long QUIET = 60_000_000_000L;

	private final LockStore store;

	private final LockClock clock;

	private final LockEvents events;

	private final OnDeadlock onDeadlock;

	private final Duration timeout;

	private final Supplier<List<GrantId>> grants;

	private final BooleanSupplier mayLook;

	private final Executor threads;

	private final Deadlocks deadlocks = new Deadlocks();

	/** When a deadlock of these keys was last reported. Belongs to the look. */
	private final Map<Set<String>, Long> told = new HashMap<>();

	private final Set<LockAcquisition> waiting = ConcurrentHashMap.newKeySet();

	private boolean looking;

	/**
	 * The time of the next look by the monotonic clock, {@code null} if none is planned.
	 */
	private @Nullable Long next;

	private final WakeUp wake = new WakeUp();

	/**
	 * Create a watch without attempts.
	 * @param onDeadlock whether one wait of each deadlock ends early
	 * @param timeout how long each request to the store may take
	 * @param grants the grants that the current thread holds and cannot end while it
	 * waits
	 * @param mayLook whether the watch may send a request to the store. Such a request
	 * only reads, so a stop does not wait for it
	 * @param threads runs the looks; must not block
	 */
	DeadlockWatch(LockStore store, LockClock clock, LockEvents events, OnDeadlock onDeadlock, Duration timeout,
			Supplier<List<GrantId>> grants, BooleanSupplier mayLook, Executor threads) {
		this.store = store;
		this.clock = clock;
		this.events = events;
		this.onDeadlock = onDeadlock;
		this.timeout = timeout;
		this.grants = grants;
		this.mayLook = mayLook;
		this.threads = threads;
	}

	/**
	 * Watch an attempt that has to wait on the thread of its caller. A call of
	 * {@link #ended} must follow. Throws nothing.
	 */
	void waits(LockAcquisition acquisition) {
		try {
			List<GrantId> holds = this.grants.get();
			if (!holds.isEmpty()) {
				acquisition.waits(holds);
				this.waiting.add(acquisition);
				if (plan(this.clock.nanoTime() + FIRST)) {
					this.wake.run();
				}
			}
		}
		catch (RuntimeException | Error ex) {
			// Without the watch, the attempt can still be granted the lock
		}
	}

	/**
	 * Stop watching an attempt that has ended.
	 */
	void ended(LockAcquisition acquisition) {
		this.waiting.remove(acquisition);
	}

	@Override
	public void start(Runnable wake) {
		this.wake.set(wake);
	}

	@Override
	public long run(ClockReading now, Executor executor) {
		long left = begin(now.nanos());
		if (left > 0) {
			return left;
		}
		try {
			this.threads.execute(this::look);
			return ClockReading.NEVER;
		}
		catch (RuntimeException | Error ex) {
			// No thread can be started now
			end(now.nanos() + AGAIN);
			return AGAIN;
		}
	}

	/**
	 * Plan a look, unless an earlier look is planned.
	 * @return whether the loop must be woken
	 */
	private synchronized boolean plan(long at) {
		if (this.next != null && at - this.next >= 0) {
			return false;
		}
		this.next = at;
		return !this.looking;
	}

	/**
	 * Begin a look if it is due.
	 * @return the nanoseconds until the look is due, zero if it has begun
	 */
	private synchronized long begin(long now) {
		if (this.next == null || this.looking) {
			return ClockReading.NEVER;
		}
		if (this.next - now > 0) {
			return this.next - now;
		}
		this.next = null;
		this.looking = !this.waiting.isEmpty();
		return (this.looking) ? 0 : ClockReading.NEVER;
	}

	private synchronized void end(long next) {
		this.looking = false;
		plan(next);
	}

	/**
	 * The attempts that wait now. An attempt that comes later plans the next look.
	 */
	private synchronized Set<LockAcquisition> waiting() {
		this.next = null;
		return Set.copyOf(this.waiting);
	}

	private void look() {
		long pause = SELDOM;
		try {
			Set<LockAcquisition> all = waiting();
			DeadlockSearch search = new DeadlockSearch(all.stream().map(LockAcquisition::toWaiter).toList());
			read(search);
			Set<LeaseId> own = all.stream().map((one) -> one.attempt().id()).collect(Collectors.toSet());
			this.deadlocks.looked(own, search.deadlocks())
				.forEach((deadlock) -> tell(deadlock, search.youngest(deadlock), all));
			pause = pause(all);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not look for deadlocks. The client tries again", ex);
		}
		finally {
			end(this.clock.nanoTime() + pause);
			this.wake.run();
		}
	}

	private void read(DeadlockSearch search) {
		List<String> keys = search.next();
		try {
			for (int step = 0; step < DeadlockSearch.MAX && !keys.isEmpty() && this.mayLook.getAsBoolean(); step++) {
				search.found(this.store.findQueues(keys, this.timeout));
				keys = search.next();
			}
		}
		catch (RuntimeException ex) {
			// No deadlock is found through a lock that could not be read
			logger.debug("Could not find out which callers wait for some of the locks. The client tries again", ex);
		}
	}

	private void tell(Deadlock found, LeaseId youngest, Set<LockAcquisition> all) {
		LockDeadlock deadlock = found.toLockDeadlock();
		all.stream().filter((acquisition) -> found.has(acquisition.attempt().id())).forEach((acquisition) -> {
			acquisition.deadlocked(deadlock);
			if (this.onDeadlock == OnDeadlock.FAIL && acquisition.attempt().id().equals(youngest)
					&& this.waiting.contains(acquisition)) {
				acquisition.giveUp(ClockReading.of(this.clock));
			}
		});
		long now = this.clock.nanoTime();
		this.told.values().removeIf((at) -> now - at >= QUIET);
		Set<String> keys = deadlock.waits().stream().map(LockDeadlock.Wait::key).collect(Collectors.toSet());
		if (this.told.putIfAbsent(keys, now) == null) {
			this.events.deadlocked(deadlock);
		}
	}

	private long pause(Set<LockAcquisition> all) {
		if (this.deadlocks.isSuspected()) {
			return AGAIN;
		}
		long now = this.clock.nanoTime();
		long youngest = all.stream().mapToLong((one) -> now - one.attempt().begun().nanos()).min().orElse(FIRST);
		return Math.min(SELDOM, Math.max(FIRST, youngest));
	}

}
