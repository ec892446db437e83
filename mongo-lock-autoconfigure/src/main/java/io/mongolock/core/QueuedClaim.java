package io.mongolock.core;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.PlaceRequest.Look;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;

/**
 * The place that one acquisition has in the queue: what was last seen of it, how many
 * hints came since, and when to look again. A hint is never a proof, nor is a look: both
 * only make the acquisition ask. Thread-safe, guarded by its own monitor, inside of which
 * it calls nobody.
 */
final class QueuedClaim {

	private final LockAcquisition acquisition;

	/** With how many others it may be refreshed in one request. */
	private int most = QueuePlaces.MAX_BATCH;

	/** Whether the acquisition waits for a reason to ask. */
	private boolean standing;

	/** Whether the acquisition is to ask, and no request has left since, or hangs. */
	private boolean called;

	/** Whether it was refreshed after that. */
	private boolean refreshedSince;

	private @Nullable QueuePosition seen;

	/** When the last claim left. */
	private long askedAt;

	/** How many places became free since that was requested which was last seen. */
	private int freed;

	/** When the last answer to a claim came: a look that left before is out of date. */
	private long answeredAt;

	/** When to look without a watch over releases. */
	private long lookAt;

	/** How long before that it may go along with another. */
	private long slack;

	/** When it opens if those before it do not live on. */
	private long opensAt;

	QueuedClaim(LockAcquisition acquisition, ClockReading now) {
		this.acquisition = acquisition;
		this.answeredAt = now.nanos();
		this.askedAt = now.nanos();
	}

	LeaseId id() {
		return this.acquisition.id();
	}

	String key() {
		return this.acquisition.key();
	}

	/**
	 * What was last seen of it.
	 * @return the place, or {@code null} if nothing was
	 */
	synchronized @Nullable QueuePosition seen() {
		return this.seen;
	}

	/**
	 * A last claim was denied.
	 */
	synchronized void saw(QueuePosition seen) {
		this.seen = seen;
	}

	/**
	 * The acquisition is to ask, at once or soon.
	 */
	synchronized void called() {
		if (!this.called) {
			this.called = true;
			this.refreshedSince = false;
		}
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
	 * A refresh is due. A place says that its waiter can act, or it would hold up others
	 * for nothing: once the waiter is to ask it is refreshed at most once more until a
	 * request leaves, and not at all when the wait is over, whether or not the waiter
	 * noticed. A request whose time is over without an answer may never have left.
	 */
	synchronized boolean refreshes(ClockReading now) {
		if (!this.standing && now.nanos() - this.askedAt > this.acquisition.terms().operationTimeout().toNanos()) {
			called();
		}
		boolean refreshes = !(this.called && this.refreshedSince) && this.acquisition.mayAct(now);
		this.refreshedSince |= refreshes;
		return refreshes;
	}

	/**
	 * A claim was denied.
	 * @param pause how long until the next look
	 * @return whether to ask again, as a place became free since it left
	 */
	synchronized boolean answered(QueuePosition seen, long pause, ClockReading now) {
		this.answeredAt = now.nanos();
		this.called = false;
		plan(seen, pause, now);
		this.standing = this.freed == 0 || !seen.admits(this.freed);
		return !this.standing;
	}

	/**
	 * A place in this lock may have become free: the acquisition asks if the rule could
	 * admit it now.
	 */
	void released() {
		boolean asks;
		synchronized (this) {
			this.freed++;
			asks = this.standing && this.seen != null && this.seen.admits(this.freed);
			if (asks) {
				this.standing = false;
				called();
			}
		}
		if (asks) {
			this.acquisition.call();
		}
	}

	/**
	 * A look at the lock was answered: the acquisition asks if the rule admits it, or if
	 * it has no place any more.
	 * @param lock the lock, or {@code null} if there is none
	 */
	void looked(Look look, @Nullable StoredLock lock, ClockReading now) {
		QueuePosition seen = (lock != null) ? QueuePosition.of(id(), this.acquisition.limit(), lock) : null;
		long pause = (seen != null) ? this.acquisition.pause(seen) : 0;
		boolean asks;
		synchronized (this) {
			if (!this.standing || look.left() - this.answeredAt < 0) {
				return;
			}
			this.freed -= Math.min(this.freed, look.freed());
			asks = seen == null || seen.admits(this.freed);
			if (seen != null) {
				plan(seen, pause, now);
			}
			if (asks) {
				this.standing = false;
				called();
			}
		}
		if (asks) {
			this.acquisition.call();
		}
	}

	/**
	 * A look leaves: none is due until it is answered, unless it is out of date already.
	 */
	synchronized void looks(ClockReading now) {
		if (now.nanos() - this.answeredAt >= 0) {
			lookAgain(QueuePlaces.NEVER, now);
		}
	}

	/**
	 * The store did not answer a look.
	 * @param pause how long until the next one
	 */
	synchronized void lookAgain(long pause, ClockReading now) {
		this.lookAt = now.nanos() + pause;
		this.opensAt = this.lookAt;
	}

	/**
	 * How long until a look is due.
	 * @return nanoseconds
	 */
	synchronized long lookIn(boolean live, ClockReading now) {
		if (!this.standing) {
			return QueuePlaces.NEVER;
		}
		long opensIn = this.opensAt - now.nanos();
		return (live) ? opensIn : Math.min(opensIn, this.lookAt - now.nanos());
	}

	/**
	 * Whether it goes along with a look that is due.
	 */
	synchronized boolean isLookSoon(boolean live, ClockReading now) {
		return lookIn(live, now) <= ((live) ? 0 : this.slack);
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

	private void plan(QueuePosition seen, long pause, ClockReading now) {
		this.seen = seen;
		this.lookAt = now.nanos() + pause;
		this.slack = pause / 2;
		// Dates are whole milliseconds: one more, and it is over for sure
		this.opensAt = now.nanos() + seen.opensIn().toNanos() + 1_000_000;
	}

}
