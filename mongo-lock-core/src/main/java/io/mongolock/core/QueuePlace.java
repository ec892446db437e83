package io.mongolock.core;

import org.jspecify.annotations.Nullable;

import io.mongolock.store.LeaseId;

/**
 * The place that an attempt has in the queue: what was last seen of it, and how many
 * hints came since. Decides whether the attempt is to ask, and when to look again: from
 * the pace of the queue if it is far back ({@link #nearIn}). A hint is never a proof, nor
 * is a look: both only make the attempt ask. Thread-safe, guarded by its own monitor;
 * inside it calls nobody.
 * <p>
 * Its fields stand in four groups: whose turn it is to act, what was seen, when to look,
 * and when to refresh. What ends in {@code At} is a time of the monotonic clock.
 */
final class QueuePlace {

	private static final long FAST = 20_000_000;

	private static final long SLOW = 60_000_000_000L;

	private final Attempt attempt;

	/** Has it ask. */
	private final Runnable call;

	// Whose turn it is to act: the attempt waits for a call, or is to ask, or has asked

	/** Whether the attempt waits for a reason to ask. */
	private boolean standing;

	/** Whether the attempt is to ask, and no request has left since, or hangs. */
	private boolean called;

	/** When the last claim left. */
	private long askedAt;

	// What was seen, and what has happened since

	private @Nullable QueuePosition seen;

	private long seenAt;

	/** How many places became free since that was requested which was last seen. */
	private int freed;

	/** How long a turn takes, zero if the queue was never seen to move. */
	private long perTurn;

	/**
	 * When the last answer to a claim came, or the last look left that was answered
	 * since: a look that left before is out of date.
	 */
	private long answeredAt;

	// When to look

	/** Without a watch over releases. */
	private long lookAt;

	/** How long before that it may go along with another. */
	private long slack;

	/** When it opens if those before it do not live on. */
	private long opensAt;

	// When to refresh

	/** When it was entered or last refreshed. */
	private long refreshedAt;

	private long refreshAt;

	/** Whether it was refreshed after it was called. */
	private boolean refreshedSince;

	/** With how many others it may be refreshed in one request. */
	private int most = Division.MAX_BATCH;

	/**
	 * Take a place.
	 * @param call has the attempt ask; called by any thread, must neither block nor throw
	 * @param refreshIn in how many nanoseconds it is to be refreshed
	 */
	QueuePlace(Attempt attempt, Runnable call, long refreshIn, ClockReading now) {
		this.attempt = attempt;
		this.call = call;
		this.answeredAt = now.nanos();
		this.askedAt = now.nanos();
		this.refreshedAt = now.nanos();
		this.refreshAt = now.nanos() + refreshIn;
	}

	Attempt attempt() {
		return this.attempt;
	}

	LeaseId id() {
		return this.attempt.id();
	}

	String key() {
		return this.attempt.key();
	}

	/**
	 * What was last seen of it.
	 * @return the place, or {@code null} if nothing was
	 */
	synchronized @Nullable QueuePosition seen() {
		return this.seen;
	}

	/**
	 * Whether it is near its turn.
	 * @return {@code false} as well for as long as nothing was seen of it
	 */
	synchronized boolean isNear() {
		return this.seen != null && this.seen.isNear();
	}

	/**
	 * Whether all places of its queue are near.
	 */
	synchronized boolean isQueueShort() {
		return this.seen != null && this.seen.isQueueShort();
	}

	/**
	 * When to look whether it is near, as it is far now: after half of the time that the
	 * queue needs at its speed, so that a queue which moves on faster is noticed. The
	 * first time that it is seen to have moved it may have stood still for most of the
	 * time before, and then halt for those who have not noticed yet: it is taken for
	 * fast, and for half as fast each time that it has not moved.
	 * @return nanoseconds; {@link ClockReading#NEVER} if it has never moved, because the
	 * next refresh is soon enough
	 */
	synchronized long nearIn(QueuePosition seen, ClockReading now) {
		int ahead = seen.othersAhead();
		int moved = (this.seen != null) ? this.seen.othersAhead() - ahead : 0;
		long slower = (this.perTurn == 0) ? FAST : Math.min(this.perTurn * 2, SLOW);
		if (moved > 0) {
			this.perTurn = Math.min(slower, (now.nanos() - this.seenAt) / moved);
		}
		else if (this.perTurn == 0) {
			return ClockReading.NEVER;
		}
		else {
			this.perTurn = slower;
		}
		long near = this.perTurn * (ahead - seen.near()) / 2;
		return Math.max(near, this.attempt.terms().retryInterval().toNanos());
	}

	/**
	 * A last claim was denied.
	 */
	synchronized void saw(QueuePosition seen) {
		this.seen = seen;
	}

	/**
	 * The attempt is to ask, at once or soon.
	 */
	synchronized void called() {
		this.standing = false;
		if (!this.called) {
			this.called = true;
			this.refreshedSince = false;
		}
	}

	/**
	 * Whether the attempt is to ask.
	 */
	synchronized boolean isCalled() {
		return this.called;
	}

	/**
	 * A claim leaves.
	 */
	synchronized void asks(ClockReading now) {
		this.askedAt = now.nanos();
		this.standing = false;
		this.called = false;
		this.freed = 0;
	}

	/**
	 * In how many nanoseconds it is to be refreshed.
	 */
	synchronized long refreshIn(ClockReading now) {
		return this.refreshAt - now.nanos();
	}

	/**
	 * It is to be refreshed again.
	 */
	synchronized void refreshAgain(long refreshIn, ClockReading now) {
		this.refreshedAt = now.nanos();
		this.refreshAt = now.nanos() + refreshIn;
	}

	/**
	 * It is to be refreshed sooner if it is near by now.
	 * @param interval between two refreshes of a place that is near
	 * @return when it is to be refreshed, on the monotonic clock
	 */
	synchronized long nearer(long interval) {
		if (this.seen != null && this.seen.isNear() && this.refreshedAt + interval - this.refreshAt < 0) {
			this.refreshAt = this.refreshedAt + interval;
		}
		return this.refreshAt;
	}

	/**
	 * A refresh is due. A place says that its waiter can act, or it would hold up others
	 * for nothing: once the waiter is to ask it is refreshed at most once more until a
	 * request leaves, and not at all when the wait is over, whether or not the waiter
	 * noticed. A request whose time is over without an answer may never have left.
	 */
	synchronized boolean refreshes(ClockReading now) {
		if (!this.standing && now.nanos() - this.askedAt > this.attempt.terms().operationTimeout().toNanos()) {
			called();
		}
		boolean refreshes = !(this.called && this.refreshedSince) && this.attempt.mayAct(now);
		this.refreshedSince |= refreshes;
		return refreshes;
	}

	/**
	 * A claim was denied.
	 * @param lookInterval how long until the next look
	 * @return whether to ask again, as a place became free since it left
	 */
	synchronized boolean answered(QueuePosition seen, long lookInterval, ClockReading now) {
		this.answeredAt = now.nanos();
		this.called = false;
		plan(seen, lookInterval, now);
		this.standing = this.freed == 0 || !seen.admits(this.freed);
		return !this.standing;
	}

	/**
	 * A place in this lock may have become free: the attempt asks if the rule could admit
	 * it now.
	 */
	void wakeIfAdmitted() {
		boolean asks;
		synchronized (this) {
			this.freed++;
			asks = this.standing && this.seen != null && this.seen.admits(this.freed);
			if (asks) {
				called();
			}
		}
		if (asks) {
			this.call.run();
		}
	}

	/**
	 * Any number of places may have become free. A place that stands is looked at; the
	 * answer to one that asks may be older than that.
	 */
	synchronized void missed() {
		if (!this.standing) {
			this.freed = Integer.MAX_VALUE / 2;
		}
	}

	/**
	 * A look at the lock was answered: the attempt asks if the rule admits it, or if it
	 * has no place any more.
	 * @param left when the look left
	 * @param freed how many hints had come until then
	 * @param seen where it stands, or {@code null} if it has no place
	 * @param recalls whether it is to ask because that recalls a lease that may be idle:
	 * who took the lock while this place did not count knows of nobody who waits
	 * @param lookInterval how long until the next look
	 */
	void looked(long left, int freed, @Nullable QueuePosition seen, boolean recalls, long lookInterval,
			ClockReading now) {
		boolean asks;
		synchronized (this) {
			if (!this.standing || left - this.answeredAt < 0) {
				return;
			}
			this.answeredAt = left;
			this.freed -= Math.min(this.freed, freed);
			// One is enough, and the first in the queue gains by it
			asks = seen == null || recalls && seen.othersAhead() == 0 || seen.admits(this.freed);
			if (seen != null) {
				plan(seen, lookInterval, now);
			}
			if (asks) {
				called();
			}
		}
		if (asks) {
			this.call.run();
		}
	}

	/**
	 * A look leaves: none is due until it is answered, unless it is out of date already.
	 */
	synchronized void looks(ClockReading now) {
		if (now.nanos() - this.answeredAt >= 0) {
			lookAgain(ClockReading.NEVER, now);
		}
	}

	/**
	 * The store did not answer a look.
	 * @param lookInterval how long until the next one
	 */
	synchronized void lookAgain(long lookInterval, ClockReading now) {
		this.lookAt = now.nanos() + lookInterval;
		this.opensAt = this.lookAt;
	}

	/**
	 * How long until a look is due.
	 * @return nanoseconds
	 */
	synchronized long nextLookIn(boolean live, ClockReading now) {
		if (!this.standing) {
			return ClockReading.NEVER;
		}
		long opensIn = this.opensAt - now.nanos();
		return (live) ? opensIn : Math.min(opensIn, this.lookAt - now.nanos());
	}

	/**
	 * Whether it goes along with a look that is due.
	 */
	synchronized boolean isLookSoon(boolean live, ClockReading now) {
		return nextLookIn(live, now) <= ((live) ? 0 : this.slack);
	}

	synchronized int freed() {
		return this.freed;
	}

	synchronized int most() {
		return this.most;
	}

	synchronized void most(int most) {
		this.most = most;
	}

	private void plan(QueuePosition seen, long lookInterval, ClockReading now) {
		this.seen = seen;
		this.seenAt = now.nanos();
		this.lookAt = now.nanos() + lookInterval;
		this.slack = (lookInterval < ClockReading.NEVER) ? lookInterval / 2 : 0;
		// Dates are whole milliseconds: one more, and it is over for sure
		this.opensAt = now.nanos() + seen.opensIn().toNanos() + 1_000_000;
	}

}
