package io.mongolock.linger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.Linger;
import io.mongolock.core.LockTerms;
import io.mongolock.core.Recall;
import io.mongolock.core.WakeUp;
import io.mongolock.store.LeaseId;

/**
 * Decides which leases are idle, and until when. An idle lease is not renewed. It stays
 * until its linger is over, until half of its reliable time is over, or until an attempt
 * wants the lock, here or elsewhere. An attempt of this JVM hands it to the first waiter,
 * or has it released. All others have it released. Knows no thread, clock or driver.
 * Thread-safe: the monitor guards the list.
 */
public class IdleLeases implements Linger {

	/** The most idle leases; the oldest are released first. */
	static final int MAX_LEASES = 10_000;

	/** The time between two passes over all leases. */
	static final long PAUSE = 20_000_000;

	/** How long recalls are watched after a lease was last left idle. */
	static final long WATCHED = 10_000_000_000L;

	private final ClientQueues queues;

	private final Predicate<HeldLock> handOn;

	private final LingerPolicy warm = new LingerPolicy();

	/** By key, the oldest first. */
	private final Map<String, IdleLease> leases;

	/** Leases that can no longer be taken, and must be released now. */
	private final Queue<HeldLock> toRelease = new ConcurrentLinkedQueue<>();

	private final WakeUp onWork = new WakeUp();

	/** When a lease was last left idle. */
	private @Nullable Long restedAt;

	/** When to pass over the leases next, if there are any. */
	private @Nullable Long nextAt;

	/** When recalls may have been missed the last time. */
	private volatile @Nullable Long missedAt;

	/** Whether recalls are notified, as far as is known. */
	private volatile boolean live;

	/**
	 * Create it without leases.
	 * @param handOn hands an idle lease to the first waiter, if it suits that waiter;
	 * must not block
	 */
	public IdleLeases(ClientQueues queues, Predicate<HeldLock> handOn) {
		this(queues, handOn, new LinkedHashMap<>());
	}

	IdleLeases(ClientQueues queues, Predicate<HeldLock> handOn, Map<String, IdleLease> leases) {
		this.queues = queues;
		this.handOn = handOn;
		this.leases = leases;
	}

	/**
	 * Have an action run when there is work earlier than {@link #nextIn} said.
	 * @param onWork must neither block nor throw
	 */
	public void onWork(Runnable onWork) {
		this.onWork.set(onWork);
	}

	@Override
	public boolean asks(Attempt attempt, ClockReading now) {
		return this.warm.claims(attempt.key(), attempt.terms().linger(), now);
	}

	@Override
	public void answered(String key, @Nullable String recalled, @Nullable Recall own) {
		if (recalled != null && this.warm.wasRecalled(key, recalled) && own != null) {
			own.want();
		}
	}

	@Override
	public boolean keep(HeldLock held, ClockReading now, Runnable ended) {
		IdleLease lease = IdleLease.of(held, now);
		if (!mayKeep(held, now) || this.queues.waiting(held.key()) > 0 || !held.state().keepIdle(now)) {
			this.warm.released(held.key(), now, held.recall());
			return false;
		}
		try {
			ended.run();
		}
		finally {
			add(lease, now);
			// An attempt or a recall that came meanwhile does not know that it is idle
			if (mayBeWanted(held) || this.queues.waiting(held.key()) > 0) {
				handOnOrEnd(lease);
			}
		}
		return true;
	}

	private boolean mayKeep(HeldLock held, ClockReading now) {
		return held.mayBeIdle(now) && !mayBeWanted(held) && (this.live || unheardUntil(held) - now.nanos() > 0);
	}

	// Recalls of later grants are notified, if recalls are notified at all
	private boolean mayBeWanted(HeldLock held) {
		Long missed = this.missedAt;
		return held.isRecalled() || missed != null && held.askedAt().nanos() - missed <= 0;
	}

	// If recalls are not notified, others wait until then
	private static long unheardUntil(HeldLock held) {
		return held.askedAt().nanos() + held.terms().linger().toNanos();
	}

	private long until(IdleLease lease) {
		return (this.live) ? lease.until() : Math.min(lease.until(), unheardUntil(lease.held()));
	}

	private void add(IdleLease lease, ClockReading now) {
		boolean sooner;
		try {
			sooner = put(lease, now);
		}
		catch (RuntimeException | Error ex) {
			// Nothing hands it on or releases it, so it runs out
			remove(lease);
			lease.held().state().endIdle();
			this.queues.wakeNext(lease.held());
			throw ex;
		}
		if (sooner) {
			this.onWork.run();
		}
	}

	private synchronized boolean put(IdleLease lease, ClockReading now) {
		this.leases.put(lease.held().key(), lease);
		this.restedAt = now.nanos();
		long in = (this.leases.size() > MAX_LEASES) ? 0 : until(lease) - now.nanos();
		boolean sooner = this.nextAt == null || now.nanos() + in - this.nextAt < 0;
		if (sooner) {
			this.nextAt = now.nanos() + in;
		}
		return sooner;
	}

	@Override
	public void wanted(String key) {
		IdleLease lease = find(key);
		if (lease != null) {
			handOnOrEnd(lease);
		}
	}

	private synchronized @Nullable IdleLease find(String key) {
		return this.leases.get(key);
	}

	/**
	 * Others want a lock. A hint.
	 * @param holder the lease that is in the way
	 * @return the request for which this client has or asked for this lease, if the
	 * recall is news
	 */
	public @Nullable LockRequest recall(LeaseId holder) {
		Recall recall = this.queues.recall(holder);
		if (recall == null) {
			return null;
		}
		boolean news = recall.want();
		IdleLease lease = find(holder.key());
		if (lease != null && lease.held().id().equals(holder) && end(lease)) {
			this.warm.recalled(holder.key(), recall.isUsed());
		}
		return (news) ? recall.request() : null;
	}

	/**
	 * Any recall may have been missed until now, so no lease that was granted before is
	 * kept.
	 */
	public void missed(ClockReading now) {
		this.missedAt = now.nanos();
		endAll();
		// Whether recalls are notified may have changed
		this.onWork.run();
	}

	private void handOnOrEnd(IdleLease lease) {
		if (!take(lease)) {
			return;
		}
		boolean handedOn = false;
		try {
			handedOn = this.handOn.test(lease.held());
		}
		finally {
			if (!handedOn && this.queues.holders(lease.held().key()).contains(lease.held())) {
				release(lease);
			}
		}
	}

	private boolean end(IdleLease lease) {
		boolean taken = take(lease);
		if (taken) {
			release(lease);
		}
		return taken;
	}

	private boolean take(IdleLease lease) {
		boolean taken = remove(lease);
		if (taken) {
			lease.held().state().endIdle();
		}
		return taken;
	}

	private void release(IdleLease lease) {
		HeldLock held = lease.held();
		this.warm.released(held.key(), lease.since(), held.recall());
		this.toRelease.add(held);
		this.onWork.run();
	}

	private synchronized boolean remove(IdleLease lease) {
		return this.leases.remove(lease.held().key(), lease);
	}

	private void endAll() {
		all().forEach(this::end);
	}

	private synchronized List<IdleLease> all() {
		return List.copyOf(this.leases.values());
	}

	/**
	 * How long recalls must be watched from now on: while a lease is idle, and for a
	 * while after a lease was last left idle. A lease that is always taken again at once
	 * is hardly ever idle when this method is called.
	 * @return nanoseconds, zero if they need not be watched
	 */
	public synchronized long watchFor(ClockReading now) {
		if (!this.leases.isEmpty()) {
			return WATCHED;
		}
		return (this.restedAt != null) ? Math.max(0, this.restedAt + WATCHED - now.nanos()) : 0;
	}

	/**
	 * The locks to release now. {@link ClientQueues#wakeNext} must follow for each.
	 * @param live whether recalls are notified
	 */
	public List<HeldLock> due(boolean live, ClockReading now) {
		expired(live, now).forEach(this::end);
		return takeToRelease();
	}

	@Override
	public List<HeldLock> stop() {
		endAll();
		return takeToRelease();
	}

	/**
	 * The release of these locks was not sent, so it is due again.
	 */
	public void unsent(List<HeldLock> held) {
		this.toRelease.addAll(held);
	}

	/**
	 * The locks to release now, without a pass over the leases.
	 */
	final List<HeldLock> takeToRelease() {
		List<HeldLock> all = new ArrayList<>();
		for (HeldLock held = this.toRelease.poll(); held != null; held = this.toRelease.poll()) {
			all.add(held);
		}
		return all;
	}

	private synchronized List<IdleLease> expired(boolean live, ClockReading now) {
		boolean changed = live != this.live;
		this.live = live;
		if (!changed && (this.nextAt == null || now.nanos() - this.nextAt < 0)) {
			return List.of();
		}
		List<IdleLease> expired = new ArrayList<>();
		int surplus = this.leases.size() - MAX_LEASES;
		long next = ClockReading.NEVER;
		for (IdleLease lease : this.leases.values()) {
			long left = until(lease) - now.nanos();
			if (expired.size() < surplus || left <= 0) {
				expired.add(lease);
			}
			else {
				next = Math.min(next, left);
			}
		}
		this.nextAt = (this.leases.isEmpty()) ? null : now.nanos() + Math.max(PAUSE, next);
		return expired;
	}

	/**
	 * The time until there is work, unless {@link #onWork} says otherwise.
	 * @return nanoseconds, zero or less if there is work now
	 */
	public long nextIn(ClockReading now) {
		if (!this.toRelease.isEmpty()) {
			return 0;
		}
		synchronized (this) {
			return (this.nextAt == null) ? ClockReading.NEVER : this.nextAt - now.nanos();
		}
	}

	/**
	 * An idle lease.
	 *
	 * @param held the lock as its last holder held it
	 * @param since when that holder was done
	 * @param until when the lease must be released at the latest, on the monotonic clock
	 */
	record IdleLease(HeldLock held, ClockReading since, long until) {

		private static IdleLease of(HeldLock held, ClockReading now) {
			LockTerms terms = held.terms();
			long half = held.lease().confirmed().nanos() + terms.reliable().toNanos() / 2;
			return new IdleLease(held, now, Math.min(half, now.nanos() + terms.linger().toNanos()));
		}

	}

}
