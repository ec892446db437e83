package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.WaitQueue.IdleTurn;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;

/**
 * The leases that a client keeps though nobody holds the locks: decides which lease may
 * be idle, who of this JVM takes it, and when it is to be released. It is not renewed,
 * and there until its linger or half of the time is over for which it is relied on, or
 * others want the lock. Which claim takes it, or that it is released, is decided by the
 * {@link LocalWaitQueues local queue} of its key, in one step. Knows no thread, clock or
 * driver. Thread-safe: the list is guarded by the monitor and changes within such a step.
 */
public final class IdleLeases {

	/** The most leases; the oldest go first. */
	static final int MAX_LEASES = 10_000;

	/**
	 * How many fences a grant sets aside for those who take its idle lease: as many as
	 * the clock of the store goes on within a millisecond, as there has to be room since
	 * the grant before.
	 */
	static final int RESERVE = 1000;

	/** The most keys of one look. */
	static final int MAX_LOOK = 1000;

	/** Between two passes over all leases. */
	static final long PAUSE = 20_000_000;

	/** After a look that had no answer. */
	private static final long RETRY = 1_000_000_000;

	/** How long recalls are watched after a lease was last left idle. */
	static final long WATCHED = 10_000_000_000L;

	private final LocalWaitQueues<LocalWaiter, HeldLock> queues;

	private final WarmKeys warm = new WarmKeys();

	/** By key, the oldest first. */
	private final Map<String, IdleLease> leases = new LinkedHashMap<>();

	/** Those that nobody can take any more, and that are to be released now. */
	private final Queue<HeldLock> ended = new ConcurrentLinkedQueue<>();

	private volatile Runnable onWork = () -> {
	};

	/** Whether any lease was ever idle. */
	private volatile boolean used;

	/** When a lease was last left idle. */
	private @Nullable Long restedAt;

	/** When to pass over the leases next, if there are any. */
	private @Nullable Long nextAt;

	/** Since when recalls are notified. */
	private @Nullable Long liveSince;

	private boolean live;

	private boolean looking;

	private long noLookBefore;

	IdleLeases(LocalWaitQueues<LocalWaiter, HeldLock> queues) {
		this.queues = queues;
	}

	/**
	 * Have somebody notified when there is something to do before it asks again.
	 * @param onWork must neither block nor throw
	 */
	public void onWork(Runnable onWork) {
		this.onWork = onWork;
	}

	/**
	 * Whether there was ever a lease.
	 * @return whether those who have the turn are to {@link #take} it
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
	 * A lock that lingers was released to the store: when its key was last used counts.
	 */
	public void released(HeldLock held, ClockReading now) {
		this.warm.released(held.key(), now, 0);
	}

	/**
	 * The last holder is done: keep the lease, if that may be and nobody waits.
	 * @param passed is run when nobody holds it any more, before anybody can take it
	 * @return whether the lease is idle; if not, it is to be released
	 */
	public boolean rest(HeldLock held, ClockReading now, Runnable passed) {
		if (!mayRest(held, now) || this.queues.waiting(held.key()) > 0 || !held.ending().rest(now)) {
			return false;
		}
		try {
			passed.run();
		}
		finally {
			this.used = true;
			// One that came meanwhile takes it
			LocalWaiter next = this.queues.rest(held.key(), held, () -> add(held, now));
			if (next != null) {
				next.callTurn();
			}
			if (held.isRecalled()) {
				end(held);
			}
		}
		return true;
	}

	private boolean mayRest(HeldLock held, ClockReading now) {
		Grant grant = held.grant();
		return grant.recall() != null && held.lingers() && !held.isRecalled() && !grant.unknown() && !grant.contended()
				&& held.fence() < grant.lastFence() && held.lease().releaseRequest() == null
				&& held.ending().mayBeHandedOver(now)
				&& held.lease().elapsed(now) < held.terms().reliable().toNanos() / 2 && hasHeard(held, now);
	}

	// A lease that is taken again all the time is never idle when it would be looked at
	private synchronized boolean hasHeard(HeldLock held, ClockReading now) {
		return isCovered(held) || now.nanos() - lastSeen(held) < held.terms().linger().toNanos();
	}

	private void add(HeldLock held, ClockReading now) {
		IdleLease lease = IdleLease.of(held, now);
		boolean sooner;
		synchronized (this) {
			this.leases.put(held.key(), lease);
			this.restedAt = now.nanos();
			if (this.nextAt == null) {
				this.noLookBefore = now.nanos();
			}
			long in = (this.leases.size() > MAX_LEASES) ? 0 : dueIn(lease, now);
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
	 * The one that has the turn takes the lease that is idle, or waits until it is
	 * released.
	 * @return what becomes of the lease, or {@code null} if there is none, so that the
	 * waiter is to ask
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
			ended(turn.idle());
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
			this.warm.released(held.key(), lease.since(), held.recall().served());
		}
	}

	/**
	 * Others want a lock. A hint.
	 * @param holder the lease that is in the way
	 * @return the lock, if it has this lease here and that is news
	 */
	public List<HeldLock> recalled(LeaseId holder) {
		return this.queues.present(holder.key())
			.stream()
			.filter((held) -> held.grant().recall() != null && held.id().equals(holder))
			.filter(this::recall)
			.toList();
	}

	private boolean recall(HeldLock held) {
		boolean news = held.recall().want();
		if (end(held)) {
			this.warm.recalled(held.key(), held.recall().served() > 0);
		}
		return news;
	}

	/**
	 * Recalls are notified from now on, and any may have been missed before.
	 */
	public void missed(ClockReading now) {
		synchronized (this) {
			this.liveSince = now.nanos();
			this.noLookBefore = now.nanos();
			this.nextAt = now.nanos();
		}
		this.onWork.run();
	}

	/**
	 * A lock was broken on purpose: nobody takes its lease any more.
	 * @return who of this client holds it, as it was taken before that
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
			ended(held);
		}
		return ends;
	}

	private void ended(HeldLock held) {
		this.ended.add(held);
		this.onWork.run();
	}

	/**
	 * The leases of this client that are idle.
	 */
	public synchronized List<IdleLease> all() {
		return List.copyOf(this.leases.values());
	}

	/**
	 * What this client has of a lease that stands in the store.
	 * @return the lease, or {@code null} if it is another's, or about to be released
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
	 * How long recalls are to be watched from now on: while a lease is idle, and for a
	 * while after one was last left so, since one that is taken again at once is hardly
	 * ever idle when that is asked.
	 * @return nanoseconds, zero if they need not be watched
	 */
	public synchronized long watchFor(ClockReading now) {
		if (!this.leases.isEmpty()) {
			return WATCHED;
		}
		return (this.restedAt != null) ? Math.max(0, this.restedAt + WATCHED - now.nanos()) : 0;
	}

	/**
	 * What to release now. {@link ClientQueues#wakeNext} follows for each.
	 * @param live whether recalls are notified
	 */
	public List<HeldLock> due(boolean live, ClockReading now) {
		over(live, now).forEach(this::end);
		return takeEnded();
	}

	/**
	 * All leases are to be released, as the client stops.
	 */
	public List<HeldLock> takeAll() {
		all().forEach((lease) -> end(lease.held()));
		return takeEnded();
	}

	/**
	 * What was to be released was not.
	 */
	public void unsent(List<HeldLock> held) {
		this.ended.addAll(held);
	}

	private List<HeldLock> takeEnded() {
		List<HeldLock> all = new ArrayList<>();
		for (HeldLock held = this.ended.poll(); held != null; held = this.ended.poll()) {
			all.add(held);
		}
		return all;
	}

	private synchronized List<HeldLock> over(boolean live, ClockReading now) {
		boolean changed = live != this.live;
		this.live = live;
		if (!changed && (this.nextAt == null || now.nanos() - this.nextAt < 0)) {
			return List.of();
		}
		List<HeldLock> over = new ArrayList<>();
		int surplus = this.leases.size() - MAX_LEASES;
		long next = ClockReading.NEVER;
		for (IdleLease lease : this.leases.values()) {
			if (over.size() < surplus || lease.until() - now.nanos() <= 0) {
				over.add(lease.held());
			}
			else {
				// A watch may end without notice
				next = Math.min(next, Math.min(dueIn(lease, now), lease.lookInterval()));
			}
		}
		this.nextAt = (this.leases.isEmpty()) ? null : now.nanos() + Math.max(PAUSE, next);
		return over;
	}

	private long dueIn(IdleLease lease, ClockReading now) {
		return Math.min(lease.until() - now.nanos(), Math.max(this.noLookBefore - now.nanos(), lookIn(lease, now)));
	}

	// Where recalls are notified, one look finds what was notified before the lease was
	// known here
	private long lookIn(IdleLease lease, ClockReading now) {
		if (this.looking) {
			return ClockReading.NEVER;
		}
		if (this.live) {
			return (isCovered(lease.held())) ? ClockReading.NEVER : 0;
		}
		return lastSeen(lease.held()) + lease.lookInterval() - now.nanos();
	}

	// The answer to the grant's request said that nobody waits
	private static long lastSeen(HeldLock held) {
		return held.recall().lastSeen(held.grant().begun().nanos());
	}

	private boolean isCovered(HeldLock held) {
		return this.live && this.liveSince != null && held.recall().isSeenAfter(this.liveSince);
	}

	/**
	 * What to look at now, upon which {@link #looked} or {@link #notLooked} follows.
	 */
	public synchronized List<HeldLock> looks(ClockReading now) {
		if (this.looking || now.nanos() - this.noLookBefore < 0) {
			return List.of();
		}
		List<HeldLock> looks = new ArrayList<>();
		boolean due = false;
		for (IdleLease lease : this.leases.values()) {
			long in = lookIn(lease, now);
			due |= in <= 0;
			// One that is due soon goes along
			if (in <= lease.lookInterval() / 2 && looks.size() < MAX_LOOK) {
				looks.add(lease.held());
			}
		}
		this.looking = due;
		return (due) ? looks : List.of();
	}

	/**
	 * The store answered a look.
	 * @param left when it left
	 * @return those that others want, which is news
	 */
	public List<HeldLock> looked(List<HeldLock> looked, List<StoredLock> locks, ClockReading left) {
		List<HeldLock> recalled = new ArrayList<>();
		Map<String, StoredLock> seen = new HashMap<>();
		locks.forEach((lock) -> seen.put(lock.key(), lock));
		for (HeldLock held : looked.stream().map(this::latest).toList()) {
			StoredLock lock = seen.get(held.key());
			if (lock == null || !held.standsIn(lock)) {
				end(held);
			}
			else if (!held.isWanted(lock)) {
				held.recall().seen(left.nanos());
			}
			else if (recall(held)) {
				recalled.add(held);
			}
		}
		lookAgain(left, 0);
		return recalled;
	}

	// A claim may have taken the lease since, and left it idle again
	private synchronized HeldLock latest(HeldLock held) {
		IdleLease lease = this.leases.get(held.key());
		return (lease != null && lease.held().id().equals(held.id())) ? lease.held() : held;
	}

	/**
	 * The store did not answer a look.
	 */
	public void notLooked(ClockReading now) {
		lookAgain(now, RETRY);
	}

	private void lookAgain(ClockReading now, long pause) {
		synchronized (this) {
			this.looking = false;
			this.noLookBefore = now.nanos() + pause;
			// Before the next look a lease may be over
			this.nextAt = now.nanos();
		}
		this.onWork.run();
	}

	/**
	 * How long nothing needs to be done unless {@link #onWork} says otherwise.
	 * @return nanoseconds, zero or less if something is to be done now
	 */
	public long nextIn(ClockReading now) {
		if (!this.ended.isEmpty()) {
			return 0;
		}
		synchronized (this) {
			return (this.nextAt == null) ? ClockReading.NEVER : this.nextAt - now.nanos();
		}
	}

	/**
	 * A lease that is idle.
	 *
	 * @param held the lock as its last holder held it
	 * @param since when that one was done
	 * @param until when it is to be released, on the monotonic clock
	 */
	public record IdleLease(HeldLock held, ClockReading since, long until) {

		private static IdleLease of(HeldLock held, ClockReading now) {
			ResolvedLockSettings terms = held.terms();
			long half = held.lease().confirmed().nanos() + terms.reliable().toNanos() / 2;
			return new IdleLease(held, now, Math.min(half, now.nanos() + terms.linger().toNanos()));
		}

		// Where recalls are not notified
		private long lookInterval() {
			return this.held.terms().linger().toNanos() / 4;
		}

	}

}
