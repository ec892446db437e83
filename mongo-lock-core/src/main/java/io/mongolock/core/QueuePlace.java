package io.mongolock.core;

import org.jspecify.annotations.Nullable;

import io.mongolock.store.LeaseId;

/**
 * The place of an attempt in the queue. Knows its position as last seen, and how many
 * hints came since. Decides whether the attempt must ask, and when to look again. If the
 * place is far back, the pace of the queue decides that ({@link #nearIn}). Neither a hint
 * nor a look is a proof: both only make the attempt ask. Thread-safe, guarded by its own
 * monitor, under which it calls no other object.
 * <p>
 * Its fields stand in four groups: whose turn it is to act, what was seen, when to look,
 * and when to refresh. Fields that end in {@code At} are times of the monotonic clock.
 */
final class QueuePlace {

	private static final long FAST = 20_000_000;

	private static final long SLOW = 60_000_000_000L;

	private final Attempt attempt;

	/** Makes the attempt ask. */
	private final Runnable call;

	/** When the wait and the time for its last request are over. */
	private final long until;

	/** The time between two refreshes of a place that is near, in nanoseconds. */
	private final long interval;

	// Whose turn it is to act: the attempt waits for a call, or must ask, or has asked

	/** Whether the attempt waits for a reason to ask. */
	private boolean standing;

	/**
	 * Whether the attempt must ask: it was called and no request has left since, or its
	 * request hangs.
	 */
	private boolean called;

	/** When the last claim left. */
	private long askedAt;

	// What was seen, and what has happened since

	private @Nullable QueuePosition seen;

	private long seenAt;

	/**
	 * How many places became free since the request for the position that was last seen.
	 */
	private int freed;

	/** How long a turn takes, zero if the queue was never seen to move. */
	private long perTurn;

	/**
	 * When the last answer to a claim came, hints were last missed, or the last look left
	 * that was answered since. A look that left before that is out of date.
	 */
	private long answeredAt;

	// When to look

	/** When to look if releases are not watched. */
	private long lookAt;

	/** How long before {@link #lookAt} it can go along with another look. */
	private long slack;

	/** When the store could admit the attempt if no entry before it lives on. */
	private long opensAt;

	// When to refresh

	/** When the place was entered or last refreshed. */
	private long refreshedAt;

	private long refreshAt;

	/** Whether it was refreshed after it was called. */
	private boolean refreshedSince;

	/** The most places in a request that refreshes this one. */
	private int most = Division.MAX_BATCH;

	/**
	 * Take a place.
	 * @param call makes the attempt ask; called by any thread, must neither block nor
	 * throw
	 * @param until when its wait and the time for its last request are over, on the
	 * monotonic clock
	 * @param interval the time until its first refresh, and between two refreshes while
	 * it is near, in nanoseconds
	 */
	QueuePlace(Attempt attempt, Runnable call, long until, long interval, ClockReading now) {
		this.attempt = attempt;
		this.call = call;
		this.until = until;
		this.interval = interval;
		this.answeredAt = now.nanos();
		this.askedAt = now.nanos();
		this.refreshedAt = now.nanos();
		this.refreshAt = now.nanos() + interval;
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
	 * Its position as last seen.
	 * @return the position, or {@code null} if none was seen
	 */
	synchronized @Nullable QueuePosition seen() {
		return this.seen;
	}

	/**
	 * Whether it is near its turn.
	 * @return {@code false} also while its position was never seen
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
	 * How long to wait until a place that is far back is looked at again, to see whether
	 * it is near. This is half of the time that the queue needs at its speed, so that a
	 * faster queue is noticed. When the queue is first seen to have moved, it may have
	 * stood still for most of the time before. It may also halt for waiters that have not
	 * noticed yet. So it is assumed to be fast at first, and half as fast each time that
	 * it has not moved.
	 * @return nanoseconds; {@link ClockReading#NEVER} if the queue has never moved,
	 * because the next refresh is soon enough
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
	 * The last claim of the attempt was denied.
	 */
	synchronized void saw(QueuePosition seen) {
		this.seen = seen;
	}

	/**
	 * The attempt must ask, at once or soon.
	 */
	synchronized void called() {
		this.standing = false;
		if (!this.called) {
			this.called = true;
			this.refreshedSince = false;
		}
	}

	/**
	 * Whether the attempt must ask.
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
	 * The time until its next refresh, in nanoseconds.
	 */
	synchronized long refreshIn(ClockReading now) {
		return this.refreshAt - now.nanos();
	}

	/**
	 * Plan the next refresh.
	 */
	synchronized void refreshAgain(long refreshIn, ClockReading now) {
		this.refreshedAt = now.nanos();
		this.refreshAt = now.nanos() + refreshIn;
		nearer();
	}

	// A place that is near by now is refreshed earlier
	private void nearer() {
		if (isNear() && this.refreshedAt + this.interval - this.refreshAt < 0) {
			this.refreshAt = this.refreshedAt + this.interval;
		}
	}

	/**
	 * A refresh is due. A place says that its waiter can act; otherwise it would hold up
	 * others for nothing. So once the waiter must ask, the place is refreshed at most
	 * once more until a request leaves. When the wait is over, the place is not
	 * refreshed, whether or not the waiter has noticed. A request whose time is over
	 * without an answer may never have left.
	 */
	synchronized boolean refreshes(ClockReading now) {
		if (!this.standing && now.nanos() - this.askedAt > this.attempt.terms().operationTimeout().toNanos()) {
			called();
		}
		boolean refreshes = !(this.called && this.refreshedSince) && now.nanos() - this.until < 0;
		this.refreshedSince |= refreshes;
		return refreshes;
	}

	/**
	 * A claim was denied.
	 * @param lookInterval how long until the next look
	 * @return whether to ask again, because a place became free since the claim left
	 */
	synchronized boolean answered(QueuePosition seen, long lookInterval, ClockReading now) {
		this.answeredAt = now.nanos();
		this.called = false;
		plan(seen, lookInterval, now);
		this.standing = this.freed == 0 || !seen.admits(this.freed);
		return !this.standing;
	}

	/**
	 * A place in this lock may have become free. The attempt asks if the rule could admit
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
	 * Any number of places may have become free. If the attempt stands, its place is
	 * looked at, even if a look is underway. If it asks, the answer may be older than
	 * these releases.
	 */
	synchronized void missed(ClockReading now) {
		if (this.standing) {
			this.answeredAt += Math.max(0, now.nanos() - this.answeredAt);
			lookAgain(0, now);
		}
		else {
			this.freed = Integer.MAX_VALUE / 2;
		}
	}

	/**
	 * A look at the lock was answered. The attempt asks if the rule admits it, or if it
	 * no longer has a place.
	 * @param seen its position, or {@code null} if it has no place
	 * @param recalls whether the attempt must ask because that recalls a lease that may
	 * be idle. A holder that took the lock while this place did not count knows of no
	 * waiter
	 * @param lookInterval how long until the next look
	 */
	void looked(Look look, @Nullable QueuePosition seen, boolean recalls, long lookInterval, ClockReading now) {
		boolean asks;
		synchronized (this) {
			if (!this.standing || look.left() - this.answeredAt < 0) {
				return;
			}
			this.answeredAt = look.left();
			this.freed -= Math.min(this.freed, look.freed());
			// One recall is enough, and the first in the queue gains by it
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
	 * A request leaves whose answer shows the place. After a mere look, no other look is
	 * due until it is answered, unless it is out of date already.
	 */
	synchronized Look look(boolean merely, ClockReading now) {
		if (merely && now.nanos() - this.answeredAt >= 0) {
			lookAgain(ClockReading.NEVER, now);
		}
		return new Look(this, now.nanos(), this.freed);
	}

	/**
	 * Plan the next look.
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
	 * Whether a look at this place goes along with another that is due.
	 */
	synchronized boolean isLookSoon(boolean live, ClockReading now) {
		return nextLookIn(live, now) <= ((live) ? 0 : this.slack);
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
		// Dates are whole milliseconds, so one more makes sure that the time is over
		this.opensAt = now.nanos() + seen.opensIn().toNanos() + 1_000_000;
		nearer();
	}

	/**
	 * A place as a request leaves, by which {@link #looked} judges the answer.
	 *
	 * @param left the time
	 * @param freed how many hints had come until then
	 */
	record Look(QueuePlace place, long left, int freed) {

	}

}
