package io.mongolock.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.mongolock.LossReason;
import io.mongolock.OnLost;

/**
 * The state of a hold. Decides who may rely on it, whether a commit may pass, and how it
 * ends, which happens once. Knows no thread, clock or driver. Thread-safe: the monitor
 * guards references and end. Losses are reported outside the monitor. <pre>
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
 * hand over, keep idle   open, held, need not run out ended, or idle
 * hand over, end idle    idle                         ended
 * cut off                it has ended                 lost
 *                        it has to run out            lost, left to expire
 *                        else                         lost, kept for its margin
 * ended by others        always                       ended by others
 * </pre>
 */
public final class HoldState {

	/** The longest time that a lock stays taken for work that a stop has cut off. */
	static final Duration MAX_MARGIN = Duration.ofSeconds(6);

	private final Attempt attempt;

	private final Lease lease;

	private final Grant grant;

	/** When this hold began. */
	private final ClockReading since;

	private final List<Runnable> lossActions = new CopyOnWriteArrayList<>();

	/** How many callers rely on the hold. */
	private int references = 1;

	/** Whether callers besides the first have ever relied on the hold. */
	private boolean shared;

	/** Whether the last caller let go of it while a statement was underway. */
	private boolean deferred;

	private volatile boolean leftToExpire;

	private volatile boolean unused;

	/** When a stop cut off the work. */
	private volatile @Nullable ClockReading cutOffAt;

	/** When the hold ended, if the client kept the lease. */
	private volatile @Nullable ClockReading idleSince;

	private volatile End end = End.OPEN;

	HoldState(Attempt attempt, Lease lease, Grant grant, ClockReading since) {
		this.attempt = attempt;
		this.lease = lease;
		this.grant = grant;
		this.since = since;
	}

	/**
	 * One more caller relies on the lock, by a claim of its own.
	 * @param limit how many may hold the lock at the same time according to that claim
	 * @return whether the lock is not released yet
	 * @throws io.mongolock.LockLostException if the lock was lost
	 * @throws IllegalStateException if the claim allows fewer holders than this hold does
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
	 * One more caller relies on the lock.
	 * @return whether the lock is not released yet
	 */
	public synchronized boolean add() {
		if (this.references > 0) {
			this.references++;
			this.shared = true;
		}
		return this.references > 0;
	}

	/**
	 * Whether callers besides its first holder have ever relied on the lock.
	 */
	public synchronized boolean wasShared() {
		return this.shared;
	}

	/**
	 * One caller no longer relies on the lock.
	 * @return whether the lock must be released now, because no caller relies on it. This
	 * is {@code false} if others ended the lock, or if the release has to wait for a
	 * statement underway
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
	 * @return whether the lock must be released, because no caller relies on it any more
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
	 * Whether the lock is known to be gone, and was not ended by a caller that relies on
	 * it. If the lease ran out, only its release can tell whether the lock was granted to
	 * others. Work that was interrupted because of the loss is incomplete in any case.
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
	 * Check that the work done under the lock may be committed.
	 * @throws io.mongolock.LockLostException if the lock was lost, unless the request
	 * says to ignore a loss
	 */
	public void assertMayCommit(ClockReading now) {
		// The write that ends the lock is part of the transaction
		if (!isEndedByOthers() && !isSuspended() && this.attempt.request().onLost() != OnLost.IGNORE) {
			assertHeld(now);
		}
	}

	/**
	 * Check that no other caller that relies on the lock has ended it.
	 * @throws io.mongolock.LockLostException if another caller has, unless the request
	 * says to ignore a loss
	 */
	public void assertNotEndedWithin() {
		if (isEndedByOthers() && this.attempt.request().onLost() != OnLost.IGNORE) {
			throw LockExceptions.endedWithin(this.lease);
		}
	}

	/**
	 * Register an action of work under the lock, which must learn of a loss at once. If
	 * the lock was lost already, the action runs now.
	 * @param action must neither block nor throw
	 */
	public void onLoss(Runnable action) {
		this.lossActions.add(action);
		if (this.lease.lossReason() != null) {
			action.run();
		}
	}

	/**
	 * Remove the action of work that has ended.
	 */
	public void removeOnLoss(Runnable action) {
		this.lossActions.remove(action);
	}

	/**
	 * Whether a registered action matches.
	 */
	public boolean hasOnLoss(Predicate<Runnable> action) {
		return this.lossActions.stream().anyMatch(action);
	}

	void lost() {
		this.lossActions.forEach(Runnable::run);
	}

	/**
	 * Work under the lock may still take effect. So the lock must not be released, but
	 * runs out with its lease.
	 */
	public void letExpire() {
		this.leftToExpire = true;
	}

	/**
	 * No work was or will be done under the lock, so it need not stay taken.
	 */
	public void waiveMinHold() {
		this.unused = true;
	}

	/**
	 * How long the lock has to stay taken after its release. For that long it is not
	 * handed over, either. This is the rest of its minimum hold. If work under the lock
	 * may still take effect, a rest shorter than the ttl becomes a whole ttl, unless it
	 * is zero. Work that a stop has cut off may go on, so its lock stays taken for its
	 * margin.
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
	 * Plan the clean-up after the release. A lock that has to run out is left alone until
	 * then, and a lock that has to stay taken is kept taken. A claim that is executed
	 * late may enter the queue instead of being granted.
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
	 * The client stops and cuts off the work under the lock, so the lock is lost.
	 * @return whether the client must end the lock, once and without a proof: it keeps
	 * the lock taken for {@link #keptFor}, or releases it if that is zero
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
	 * Whether the lock can be handed over.
	 * @return whether the lock has neither to run out nor to stay taken
	 */
	boolean mayBeHandedOver(ClockReading now) {
		return !this.leftToExpire && keptFor(now).isZero();
	}

	/**
	 * The holder hands the lock over, or the client hands on the lease that was idle.
	 * @return whether the lock was held or its lease kept until then, and need not run
	 * out
	 */
	synchronized boolean handOver(Lease successor, ClockReading now) {
		return mayEnd() && this.lease.handOver(successor, now) && (end() || wasLeftIdle());
	}

	private boolean mayEnd() {
		return (!hasEnded() || wasLeftIdle()) && !this.leftToExpire;
	}

	/**
	 * The holder is done, and the client keeps the lease.
	 * @return whether the lock was held until then and need not run out
	 */
	public synchronized boolean keepIdle(ClockReading now) {
		boolean kept = mayEnd() && this.lease.keepIdle(now) && end();
		if (kept) {
			this.idleSince = now;
			this.end = End.IDLE;
		}
		return kept;
	}

	/**
	 * The client keeps the lease no longer, and hands it on or releases it.
	 */
	public synchronized void endIdle() {
		this.end = End.HERE;
	}

	/**
	 * Whether the client keeps the lease.
	 */
	public boolean isIdle() {
		return this.end == End.IDLE;
	}

	/**
	 * Whether the client kept the lease at the end of the hold. The lease may since have
	 * been handed on or released.
	 */
	boolean wasLeftIdle() {
		return this.idleSince != null;
	}

	/**
	 * The lease for operators.
	 */
	LocalLease toLocalLease(ClockReading now) {
		ClockReading since = this.idleSince;
		return new LocalLease((since != null) ? Duration.ofNanos(now.elapsedSince(since)) : null);
	}

	/**
	 * Whether the hold has ended.
	 */
	public boolean hasEnded() {
		return this.end != End.OPEN;
	}

	/**
	 * Whether others ended the hold, so that nothing is left to rely on or to release.
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

		OPEN, IDLE, HERE, BY_OTHERS

	}

}
