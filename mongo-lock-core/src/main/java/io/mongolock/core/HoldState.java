package io.mongolock.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.mongolock.LossReason;
import io.mongolock.OnLost;

/**
 * The state of a hold: decides who may rely on it, whether a commit may pass, and how it
 * ends, once. Knows no thread, clock or driver. Thread-safe: the monitor guards
 * references and end; no loss is told under it. <pre>
 * event                  first that applies           result
 * one shares it          nobody relies on it          refused: it is being released
 *                        else                         one more relies on it
 * one lets go            others rely on it            one fewer does
 *                        a statement is underway      the release waits for that
 *                        it was ended by others       nothing
 *                        else                         it is to be released
 * a statement is over    the release waits for it,    it is to be released
 *                        and others have not ended it
 * release                it has ended                 lost, nothing to ask
 *                        it has to stay taken         kept for the rest of that
 *                        it has to run out            left to expire
 *                        else                         released
 * hand over, keep idle   open, held, need not run out ended
 * cut off                it has ended                 lost
 *                        it has to run out            lost, left to expire
 *                        else                         lost, kept for its margin
 * ended by others        always                       ended by others
 * </pre>
 */
public final class HoldState {

	/** The longest that a lock stays taken for what a stop has cut off. */
	static final Duration MAX_MARGIN = Duration.ofSeconds(6);

	private final Attempt attempt;

	private final Lease lease;

	private final Grant grant;

	/** Since when this one holds it. */
	private final ClockReading since;

	private final List<Runnable> lossActions = new CopyOnWriteArrayList<>();

	/** How many rely on it. */
	private int references = 1;

	/** Whether anybody but the first has ever relied on it. */
	private boolean shared;

	/** Whether the last one let go of it while a statement was underway. */
	private boolean deferred;

	private volatile boolean leftToExpire;

	private volatile boolean unused;

	/** When a stop cut off the work. */
	private volatile @Nullable ClockReading cutOffAt;

	private volatile End end = End.OPEN;

	HoldState(Attempt attempt, Lease lease, Grant grant, ClockReading since) {
		this.attempt = attempt;
		this.lease = lease;
		this.grant = grant;
		this.since = since;
	}

	/**
	 * Somebody more relies on the lock, by a claim of its own.
	 * @param limit how many that claim would let hold the lock together
	 * @return whether it is not released yet
	 * @throws io.mongolock.LockLostException if the lock was lost
	 * @throws IllegalStateException if the lock is held together with others and the
	 * claim does not allow that
	 */
	public boolean add(int limit, ClockReading now) {
		if (!this.lease.isHeld(now) && this.lease.lossReason() != null) {
			throw LockExceptions.lost(this.lease);
		}
		if (limit < this.attempt.limit()) {
			throw LockExceptions.stricterWithin(this.attempt, limit);
		}
		return add();
	}

	/**
	 * Somebody more relies on the lock.
	 * @return whether it is not released yet
	 */
	public synchronized boolean add() {
		if (this.references > 0) {
			this.references++;
			this.shared = true;
		}
		return this.references > 0;
	}

	/**
	 * Whether anybody but its first holder has ever relied on it.
	 */
	public synchronized boolean wasShared() {
		return this.shared;
	}

	/**
	 * Somebody relies on the lock no longer.
	 * @return whether nobody does, so that the lock is to be released now: not if it was
	 * ended by others, or that has to wait for the statement underway
	 */
	public synchronized boolean remove() {
		boolean last = --this.references == 0;
		this.deferred |= last && isSuspended();
		return last && !isEndedByOthers() && !isSuspended();
	}

	/**
	 * A statement begins that may end the lock.
	 */
	public synchronized void statementBegins() {
		this.lease.suspend(true);
	}

	/**
	 * The statement is over and has not ended the lock.
	 * @return whether nobody relies on it any more: the lock has to be released
	 */
	public synchronized boolean statementOver() {
		boolean release = this.deferred && !isEndedByOthers();
		this.deferred = false;
		this.lease.suspend(false);
		return release;
	}

	/**
	 * Whether a statement is underway that may end the lock.
	 */
	public boolean isSuspended() {
		return this.lease.isSuspended();
	}

	/**
	 * Whether it is known to be gone, and was not ended by one of those who rely on it.
	 * Only the release of a lease that ran out knows whether others were granted the
	 * lock; work that was interrupted for it is not whole either way.
	 */
	public boolean isGone() {
		LossReason reason = this.lease.lossReason();
		return !isEndedByOthers() && !isSuspended() && reason != null
				&& (reason != LossReason.DEADLINE || this.attempt.request().onLost() == OnLost.INTERRUPT);
	}

	/**
	 * Check that the lock can be relied on.
	 * @throws io.mongolock.LockLostException if it cannot
	 */
	public void assertHeld(ClockReading now) {
		if (!this.lease.isHeld(now)) {
			throw LockExceptions.lost(this.lease);
		}
	}

	/**
	 * Check that what was done under the lock may be committed.
	 * @throws io.mongolock.LockLostException if it was lost, unless the request says to
	 * ignore that
	 */
	public void assertMayCommit(ClockReading now) {
		// What was written instead of a release is a part of the transaction
		if (!isEndedByOthers() && !isSuspended() && this.attempt.request().onLost() != OnLost.IGNORE) {
			assertHeld(now);
		}
	}

	/**
	 * Check that nobody else who relies on the lock has ended it.
	 * @throws io.mongolock.LockLostException if somebody has, unless the request says to
	 * ignore that
	 */
	public void assertNotEndedWithin() {
		if (isEndedByOthers() && this.attempt.request().onLost() != OnLost.IGNORE) {
			throw LockExceptions.endedWithin(this.lease);
		}
	}

	/**
	 * Somebody works under the lock who has to know at once if it is lost; if it was lost
	 * already, the action runs now.
	 * @param action must neither block nor throw
	 */
	public void onLoss(Runnable action) {
		this.lossActions.add(action);
		if (this.lease.lossReason() != null) {
			action.run();
		}
	}

	/**
	 * Somebody works under the lock no longer.
	 */
	public void removeOnLoss(Runnable action) {
		this.lossActions.remove(action);
	}

	/**
	 * Whether somebody else works under the lock who has to know of its loss.
	 */
	public boolean hasOnLoss(Predicate<Runnable> action) {
		return this.lossActions.stream().anyMatch(action);
	}

	void lost() {
		this.lossActions.forEach(Runnable::run);
	}

	/**
	 * What was done under the lock may still take effect: it is not to be released, but
	 * runs out with its lease.
	 */
	public void letExpire() {
		this.leftToExpire = true;
	}

	/**
	 * Nobody worked under the lock, nor will: it need not stay taken.
	 */
	public void waiveMinHold() {
		this.unused = true;
	}

	/**
	 * How long the lock has to stay taken after it is released, and so is handed over to
	 * nobody: what is left of its minimum hold, or a whole ttl if that is longer and what
	 * was done under it may still take effect. What a stop has cut off may go on, so that
	 * stays taken for its margin.
	 * @return whole milliseconds, zero if it may be free
	 */
	public Duration keptFor(ClockReading now) {
		if (this.unused) {
			return Duration.ZERO;
		}
		long elapsed = now.nanos() - this.since.nanos();
		long minimum = this.lease.terms().minHold().toNanos() - elapsed;
		Duration left = ClockReading.untilWholeMillis(Math.max(minimum, marginLeft(now)));
		return (this.leftToExpire && !left.isZero() && left.compareTo(ttl()) < 0) ? ttl() : left;
	}

	// Never longer than the lease would last
	private long marginLeft(ClockReading now) {
		ClockReading from = this.cutOffAt;
		if (from == null) {
			return 0;
		}
		long most = Math.min(this.lease.terms().margin().toNanos(), MAX_MARGIN.toNanos());
		return Math.min(most - (now.nanos() - from.nanos()), ttl().toNanos() - this.lease.elapsed(now));
	}

	/**
	 * How long the lease lasts in the store.
	 */
	private Duration ttl() {
		return this.grant.entry().ttl();
	}

	/**
	 * The holder releases the lock.
	 * @return what to ask the store, and how to judge its answer
	 */
	public ReleaseDecision release(ClockReading now) {
		return (end()) ? ReleaseDecision.of(this.lease, this.leftToExpire, keptFor(now), this.grant.unknown(), now)
				: ReleaseDecision.OF_ENDED;
	}

	/**
	 * Whether a claim of its token may still be executed.
	 * @return whether the token may be granted once more after the release
	 */
	public boolean mayBeGrantedLate() {
		return this.grant.unknown();
	}

	/**
	 * Clean up what the release left behind. What has to run out is left alone until it
	 * has, and what has to stay taken is kept so. A claim that is executed late may enter
	 * the queue in place of being granted.
	 */
	public OrphanCleanup cleanUp(ClockReading now) {
		OrphanCleanup cleanup = begin(now);
		return (this.grant.inQueue()) ? cleanup.alsoInQueue() : cleanup;
	}

	private OrphanCleanup begin(ClockReading now) {
		Duration keptFor = keptFor(now);
		if (!keptFor.isZero()) {
			return OrphanCleanup.keeping(now, keptFor, ttl(), this.grant.unknown());
		}
		return (this.leftToExpire) ? OrphanCleanup.afterExpiry(now, ttl())
				: new OrphanCleanup(now, ttl(), this.grant.unknown());
	}

	/**
	 * The client stops, and work under the lock is cut off: the lock is lost.
	 * @return whether it is to be kept for {@link #keptFor}, or released if that is zero,
	 * once and without a proof
	 */
	public boolean cutOff(ClockReading now) {
		this.lease.lose(LossReason.SHUTDOWN);
		boolean ends = end();
		if (ends && !this.leftToExpire) {
			this.cutOffAt = now;
		}
		return ends && (!this.leftToExpire || !keptFor(now).isZero());
	}

	/**
	 * Whether another may hold it next.
	 * @return whether it has neither to run out nor to stay taken
	 */
	boolean mayBeHandedOver(ClockReading now) {
		return !this.leftToExpire && keptFor(now).isZero();
	}

	/**
	 * The holder hands the lock over.
	 * @return whether it was held until then and need not run out
	 */
	synchronized boolean handOver(Lease successor, ClockReading now) {
		return !hasEnded() && !this.leftToExpire && this.lease.handOver(successor, now) && end();
	}

	/**
	 * The holder is done, and the client keeps the lease.
	 * @return whether it was held until then and need not run out
	 */
	synchronized boolean keepIdle(ClockReading now) {
		return !hasEnded() && !this.leftToExpire && this.lease.keepIdle(now) && end();
	}

	/**
	 * Whether it has ended.
	 */
	public boolean hasEnded() {
		return this.end != End.OPEN;
	}

	/**
	 * Whether it was ended by others: nothing is left to rely on or to release.
	 */
	public boolean isEndedByOthers() {
		return this.end == End.BY_OTHERS;
	}

	/**
	 * Others ended the lock.
	 * @return whether it was held until then
	 */
	public boolean endByOthers(ClockReading now) {
		boolean held = this.lease.release(now);
		synchronized (this) {
			this.end = End.BY_OTHERS;
		}
		return held;
	}

	private synchronized boolean end() {
		boolean first = !hasEnded();
		this.end = (first) ? End.HERE : this.end;
		return first;
	}

	private enum End {

		OPEN, HERE, BY_OTHERS

	}

}
