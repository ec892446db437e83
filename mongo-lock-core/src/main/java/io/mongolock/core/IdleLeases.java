package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;
import io.mongolock.core.WaitQueue.IdleTurn;
import io.mongolock.store.LeaseId;

/**
 * The leases that a client keeps while nobody holds their locks. Decides which lease may
 * be idle, which attempt of this JVM takes it, and when it must be released. An idle
 * lease is not renewed. It stays until its linger is over, until half of its reliable
 * time is over, or until others want the lock. The {@link LocalWaitQueues local queue} of
 * its key decides in one step which claim takes the lease, or that it is released. Knows
 * no thread, clock or driver. Thread-safe: the monitor guards the list, which changes
 * within such a step.
 */
public final class IdleLeases {

	/** The most idle leases; the oldest are released first. */
	static final int MAX_LEASES = 10_000;

	/**
	 * How many fences a grant sets aside for attempts that take its idle lease. The clock
	 * of the store advances by that many within a millisecond, and the fences must fit
	 * between the previous grant and this one.
	 */
	static final int RESERVE = 1000;

	/** The time between two passes over all leases. */
	static final long PAUSE = 20_000_000;

	/** How long recalls are watched after a lease was last left idle. */
	static final long WATCHED = 10_000_000_000L;

	private final LocalWaitQueues<LocalWaiter, HeldLock> queues;

	private final LingerPolicy warm = new LingerPolicy();

	/** By key, the oldest first. */
	private final Map<String, IdleLease> leases = new LinkedHashMap<>();

	/** Leases that can no longer be taken, and must be released now. */
	private final Queue<HeldLock> toRelease = new ConcurrentLinkedQueue<>();

	private final WakeUp onWork = new WakeUp();

	/** Whether any lease was ever idle. */
	private volatile boolean used;

	/** When a lease was last left idle. */
	private @Nullable Long restedAt;

	/** When to pass over the leases next, if there are any. */
	private @Nullable Long nextAt;

	/** When recalls may have been missed the last time. */
	private volatile @Nullable Long missedAt;

	/** Whether recalls are notified, as far as is known. */
	private volatile boolean live;

	IdleLeases(LocalWaitQueues<LocalWaiter, HeldLock> queues) {
		this.queues = queues;
	}

	/**
	 * Have an action run when there is work earlier than {@link #nextIn} said.
	 * @param onWork must neither block nor throw
	 */
	public void onWork(Runnable onWork) {
		this.onWork.set(onWork);
	}

	/**
	 * Whether a lease was ever idle.
	 * @return whether waiters with the turn must try to {@link #take} an idle lease
	 */
	boolean isUsed() {
		return this.used;
	}

	/**
	 * An attempt is about to ask for a lock that lingers.
	 * @return whether it pays to keep the lease when its holder is done
	 */
	boolean isWarm(Attempt attempt, ClockReading now) {
		return this.warm.claims(attempt.key(), attempt.terms().linger(), now);
	}

	/**
	 * A lock that lingers was released in the store. This counts as the last use of its
	 * key.
	 */
	public void released(HeldLock held, ClockReading now) {
		this.warm.released(held.key(), now, held.grant().recall());
	}

	/**
	 * The last holder is done. Keep its lease if that is allowed and nobody waits.
	 * @param passed is run after the end of the hold, before the lease can be taken
	 * @return whether the lease is idle; otherwise it must be released
	 */
	public boolean keepIdle(HeldLock held, ClockReading now, Runnable passed) {
		if (!mayKeepIdle(held, now) || this.queues.waiting(held.key()) > 0 || !held.state().keepIdle(now)) {
			return false;
		}
		try {
			passed.run();
		}
		finally {
			this.used = true;
			// A waiter that came meanwhile takes the lease
			LocalWaiter next = this.queues.keepIdle(held.key(), held, () -> add(held, now));
			if (next != null) {
				next.callTurn();
			}
			if (mayBeWanted(held)) {
				end(held);
			}
		}
		return true;
	}

	private boolean mayKeepIdle(HeldLock held, ClockReading now) {
		Grant grant = held.grant();
		return grant.recall() != null && held.lingers() && !mayBeWanted(held) && !grant.unknown() && !grant.contended()
				&& held.fence() < grant.lastFence() && held.lease().releaseRequest() == null
				&& held.state().mayBeHandedOver(now)
				&& held.lease().elapsed(now) < held.terms().reliable().toNanos() / 2
				&& (this.live || unheardUntil(held) - now.nanos() > 0);
	}

	// Recalls of later grants are notified, if recalls are notified at all
	private boolean mayBeWanted(HeldLock held) {
		Long missed = this.missedAt;
		return held.isRecalled() || missed != null && held.grant().begun().nanos() - missed <= 0;
	}

	// If recalls are not notified, others wait until then
	private static long unheardUntil(HeldLock held) {
		return held.grant().begun().nanos() + held.terms().linger().toNanos();
	}

	private long until(IdleLease lease) {
		return (this.live) ? lease.until() : Math.min(lease.until(), unheardUntil(lease.held()));
	}

	private void add(HeldLock held, ClockReading now) {
		IdleLease lease = IdleLease.of(held, now);
		boolean sooner;
		synchronized (this) {
			this.leases.put(held.key(), lease);
			this.restedAt = now.nanos();
			long in = (this.leases.size() > MAX_LEASES) ? 0 : until(lease) - now.nanos();
			sooner = this.nextAt == null || now.nanos() + in - this.nextAt < 0;
			if (sooner) {
				this.nextAt = now.nanos() + in;
			}
		}
		if (sooner) {
			this.onWork.run();
		}
	}

	/**
	 * The waiter with the turn takes the idle lease, or waits until the lease is
	 * released.
	 * @return what happens to the lease, or {@code null} if there is none and the waiter
	 * must ask the store
	 */
	@Nullable IdleTurn<HeldLock> take(LocalWaiter waiter, ClockReading now) {
		Attempt attempt = waiter.attempt();
		IdleTurn<HeldLock> turn = this.queues.takeIdle(attempt.key(), waiter,
				(held) -> (suits(held, attempt, now)) ? held.take(attempt, now) : null, (idle) -> {
					if (idle.ends()) {
						removeEnding(idle.idle());
					}
					else {
						remove(idle.idle());
					}
				});
		if (turn != null && turn.ends()) {
			releaseSoon(turn.idle());
		}
		return turn;
	}

	private static boolean suits(HeldLock held, Attempt attempt, ClockReading now) {
		return attempt.lingers() && !held.isRecalled() && held.suits(attempt, now);
	}

	private synchronized @Nullable IdleLease remove(HeldLock held) {
		IdleLease lease = this.leases.get(held.key());
		return (lease != null && lease.held() == held) ? this.leases.remove(held.key()) : null;
	}

	private void removeEnding(HeldLock held) {
		IdleLease lease = remove(held);
		if (lease != null) {
			this.warm.released(held.key(), lease.since(), held.recall());
		}
	}

	/**
	 * Others want a lock. A hint.
	 * @param holder the lease that is in the way
	 * @return the requests of this client that have this lease, if the recall is news
	 */
	public List<LockRequest> recalled(LeaseId holder) {
		List<LockRequest> news = new ArrayList<>(1);
		// The answer with the grant may be underway. Once it has arrived, its holder is
		// present
		this.queues.asking(holder.key())
			.filter((asking) -> asking.attempt().id().equals(holder) && asking.recall() != null
					&& asking.recall().want())
			.ifPresent((asking) -> news.add(asking.attempt().request()));
		this.queues.present(holder.key())
			.stream()
			.filter((held) -> held.grant().recall() != null && held.id().equals(holder))
			.filter(this::recall)
			.forEach((held) -> news.add(held.request()));
		return news;
	}

	private boolean recall(HeldLock held) {
		boolean news = held.recall().want();
		if (end(held)) {
			this.warm.recalled(held.key(), held.recall().served() > 0);
		}
		return news;
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

	/**
	 * The store answered a claim. The answer may show that others recalled the lease that
	 * was last kept here, but that this client was not notified.
	 * @param recalled the token of the lease that was recalled last, {@code null} if none
	 * was
	 * @return whether others recalled that lease and this is news
	 */
	boolean wasRecalled(String key, @Nullable String recalled) {
		return recalled != null && this.warm.wasRecalled(key, recalled);
	}

	/**
	 * A lock was broken on purpose, so its lease can no longer be taken.
	 * @return the holds of this client that have the lock, because they took its lease
	 * before
	 */
	public List<HeldLock> broken(String key, long fence) {
		List<HeldLock> broken = this.queues.present(key).stream().filter((held) -> held.grantFence() == fence).toList();
		broken.stream().filter((held) -> held.grant().recall() != null).forEach((held) -> held.recall().want());
		broken.forEach(this::end);
		return this.queues.holders(key).stream().filter((held) -> held.grantFence() == fence).toList();
	}

	private boolean end(HeldLock held) {
		boolean ends = this.queues.endIdle(held.key(), held, () -> removeEnding(held));
		if (ends) {
			releaseSoon(held);
		}
		return ends;
	}

	private void releaseSoon(HeldLock held) {
		this.toRelease.add(held);
		this.onWork.run();
	}

	/**
	 * The leases of this client that are idle.
	 */
	public synchronized List<IdleLease> all() {
		return List.copyOf(this.leases.values());
	}

	/**
	 * This client's view of a lease in the store.
	 * @return the lease, or {@code null} if it belongs to another client or is about to
	 * be released
	 */
	public @Nullable LocalLease find(LeaseId id, ClockReading now) {
		synchronized (this) {
			IdleLease lease = this.leases.get(id.key());
			if (lease != null && lease.held().id().equals(id)) {
				return new LocalLease(Duration.ofNanos(now.elapsedSince(lease.since())));
			}
		}
		return (this.queues.holders(id.key()).stream().anyMatch((held) -> held.id().equals(id))) ? new LocalLease(null)
				: null;
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

	/**
	 * The client stops, so all leases must be released.
	 */
	public List<HeldLock> takeAll() {
		endAll();
		return takeToRelease();
	}

	private void endAll() {
		all().forEach((lease) -> end(lease.held()));
	}

	/**
	 * The release of these locks was not sent, so it is due again.
	 */
	public void unsent(List<HeldLock> held) {
		this.toRelease.addAll(held);
	}

	private List<HeldLock> takeToRelease() {
		List<HeldLock> all = new ArrayList<>();
		for (HeldLock held = this.toRelease.poll(); held != null; held = this.toRelease.poll()) {
			all.add(held);
		}
		return all;
	}

	private synchronized List<HeldLock> expired(boolean live, ClockReading now) {
		boolean changed = live != this.live;
		this.live = live;
		if (!changed && (this.nextAt == null || now.nanos() - this.nextAt < 0)) {
			return List.of();
		}
		List<HeldLock> expired = new ArrayList<>();
		int surplus = this.leases.size() - MAX_LEASES;
		long next = ClockReading.NEVER;
		for (IdleLease lease : this.leases.values()) {
			long left = until(lease) - now.nanos();
			if (expired.size() < surplus || left <= 0) {
				expired.add(lease.held());
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
	public record IdleLease(HeldLock held, ClockReading since, long until) {

		private static IdleLease of(HeldLock held, ClockReading now) {
			LockTerms terms = held.terms();
			long half = held.lease().confirmed().nanos() + terms.reliable().toNanos() / 2;
			return new IdleLease(held, now, Math.min(half, now.nanos() + terms.linger().toNanos()));
		}

	}

}
