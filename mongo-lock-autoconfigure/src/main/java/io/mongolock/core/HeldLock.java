package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.store.LeaseId;

/**
 * A lock that was granted or handed over, from then to its end: who shares it, whether it
 * is still held, and what is to be done when it is renewed, lost, handed over, released
 * or left to expire. Knows no thread, clock or driver. Thread-safe; shares and end are
 * guarded by its own monitor, everything else by the lease's.
 */
public final class HeldLock implements LocalWaitQueues.Member {

	private final LockRequest request;

	private final LockOwner owner;

	private final Turn turn;

	private final Lease lease;

	/** Since when this one holds it. */
	private final ClockReading since;

	private final Consumer<HeldLock> onLost;

	private final List<Runnable> lossActions = new CopyOnWriteArrayList<>();

	private volatile boolean leftToExpire;

	private volatile boolean unused;

	private boolean ended;

	/** Whether it was ended by others, so that nothing is left to release. */
	private volatile boolean over;

	/** Whether a statement is underway that may end it. */
	private volatile boolean suspended;

	/** Whether the last one let go of it meanwhile. */
	private boolean deferred;

	private @Nullable Object content;

	private int shares = 1;

	/**
	 * Begin with the grant.
	 * @param grant the grant
	 * @param now the time
	 * @param onLost is called once if the lock is lost, after the {@link #onLoss actions}
	 * of those who work under it, on the thread that notices; must neither block nor
	 * throw
	 */
	public HeldLock(Grant grant, ClockReading now, Consumer<HeldLock> onLost) {
		this.request = grant.request();
		this.owner = grant.holder().owner();
		this.turn = new Turn(grant.holder(), grant.reserve(), grant.requested(), grant.unknown(), grant.contended());
		this.since = now;
		this.onLost = onLost;
		this.content = grant.content();
		this.lease = new Lease(grant.id(), grant.holder().fence(), grant.terms(), grant.requested(), this::lost);
	}

	private HeldLock(HeldLock from, LockAcquisition to, ClockReading now) {
		this.request = to.request();
		this.owner = to.claim().owner();
		this.turn = from.turn;
		this.since = now;
		this.onLost = from.onLost;
		this.lease = from.lease.next(from.fence() + 1, to.terms(), this::lost);
	}

	private void lost(Lease lost) {
		this.lossActions.forEach(Runnable::run);
		this.onLost.accept(this);
	}

	public LockRequest request() {
		return this.request;
	}

	public Lease lease() {
		return this.lease;
	}

	public LeaseId id() {
		return this.lease.id();
	}

	public String key() {
		return id().key();
	}

	/**
	 * The number of this hold.
	 * @return the fence that its holder is given
	 */
	public long fence() {
		return this.lease.fence();
	}

	/**
	 * The number of the grant, which stands in the store.
	 * @return the fence that a release proves by
	 */
	public long grantFence() {
		return this.turn.entry().fence();
	}

	/**
	 * How long the lease lasts in the store.
	 * @return the ttl of the grant, at least that of the {@link #terms()}
	 */
	public Duration ttl() {
		return this.turn.entry().ttl();
	}

	/**
	 * Whether another of this JVM held it before.
	 * @return whether it was handed over, not granted
	 */
	public boolean isHandedOver() {
		return fence() != grantFence();
	}

	Turn turn() {
		return this.turn;
	}

	public ResolvedLockSettings terms() {
		return this.lease.terms();
	}

	/**
	 * How the lock was lost.
	 * @return the reason, or {@code null} if it was not
	 */
	public @Nullable LossReason lossReason() {
		return this.lease.lossReason();
	}

	@Override
	public int limit() {
		return this.turn.entry().limit();
	}

	/**
	 * Somebody works under the lock who has to know at once if it is lost; if it was lost
	 * already, the action runs now.
	 * @param action must neither block nor throw
	 */
	public void onLoss(Runnable action) {
		this.lossActions.add(action);
		if (lossReason() != null) {
			action.run();
		}
	}

	/**
	 * Somebody works under the lock no longer.
	 * @param action what was given to {@link #onLoss}
	 */
	public void removeOnLoss(Runnable action) {
		this.lossActions.remove(action);
	}

	/**
	 * Somebody more relies on the lock.
	 * @return whether it is not released yet
	 */
	public synchronized boolean share() {
		if (this.shares > 0) {
			this.shares++;
		}
		return this.shares > 0;
	}

	/**
	 * Somebody relies on the lock no longer.
	 * @return whether nobody does: the lock has to be released
	 */
	public synchronized boolean unshare() {
		return --this.shares == 0;
	}

	/**
	 * What the store sent along with the grant.
	 * @return what it keeps with the lock, once; {@code null} from then on
	 */
	public synchronized @Nullable Object takeContent() {
		Object taken = this.content;
		this.content = null;
		return taken;
	}

	/**
	 * A statement begins that may end the lock.
	 */
	public synchronized void suspend() {
		this.suspended = true;
		this.lease.suspend(true);
	}

	/**
	 * The statement is over and has not ended the lock.
	 * @return whether nobody relies on it any more: the lock has to be released
	 */
	public synchronized boolean resume() {
		boolean release = this.deferred;
		this.deferred = false;
		this.suspended = false;
		this.lease.suspend(false);
		return release;
	}

	/**
	 * Whether a statement is underway that may end the lock.
	 * @return whether there is one
	 */
	public boolean isSuspended() {
		return this.suspended;
	}

	/**
	 * The last one lets go of the lock.
	 * @return whether it is to be released now: not if it was ended by others, or that
	 * has to wait for the statement underway
	 */
	public synchronized boolean mayRelease() {
		this.deferred |= this.suspended;
		return !this.over && !this.suspended;
	}

	/**
	 * Others ended the lock.
	 * @param now the time
	 * @return whether it was held until then
	 */
	public boolean endedByOthers(ClockReading now) {
		boolean held = this.lease.release(now);
		this.over = true;
		end();
		return held;
	}

	/**
	 * Whether it was ended by others: nothing is left to rely on or to release.
	 * @return whether it was
	 */
	public boolean isOver() {
		return this.over;
	}

	/**
	 * The store answered a renewal.
	 * @param found whether it still has the lease
	 * @param requested when the request left
	 * @param now the time
	 * @return whether the lock is held
	 */
	public boolean renewed(boolean found, ClockReading requested, ClockReading now) {
		if (!found) {
			this.lease.refused();
		}
		return this.lease.renewed(requested, now);
	}

	/**
	 * What was done under the lock may still take effect: it is not to be released, but
	 * runs out with its lease.
	 */
	public void letExpire() {
		this.leftToExpire = true;
	}

	/**
	 * Whether it may be handed over at all.
	 * @return whether the grant set aside more fences than were given out, and nobody
	 * asked to release it
	 */
	public boolean mayBeHandedOver() {
		return fence() < this.turn.lastFence() && this.lease.releaseRequest() == null;
	}

	/**
	 * Whether what stands in the store would do for another holder: it must not be known
	 * there by a stricter or looser limit, last less long than the other asks for, or
	 * have to be renewed for one who is not, or stay taken. At least half of what the
	 * other asks for is left, as it is unless renewals fail.
	 * @param limit how many may hold the lock together with the other
	 * @param terms how the other would hold it
	 * @param now the time
	 * @return whether it may be handed over
	 */
	boolean suits(int limit, ResolvedLockSettings terms, ClockReading now) {
		long elapsed = this.lease.elapsed(now);
		return limit == limit() && terms.autoRenew() && terms.ttl().compareTo(ttl()) <= 0 && keptFor(now).isZero()
				&& elapsed < terms.reliable().toNanos() / 2;
	}

	/**
	 * The holder hands the lock over instead of releasing it.
	 * @param to whose it is from here on
	 * @param now the time
	 * @return the lock as the other holds it, or {@code null} if it is not held any more
	 * or has to run out
	 */
	synchronized @Nullable HeldLock handOver(LockAcquisition to, ClockReading now) {
		if (this.ended || this.leftToExpire) {
			return null;
		}
		HeldLock successor = new HeldLock(this, to, now);
		this.ended = this.lease.handOver(successor.lease, now);
		return (this.ended) ? successor : null;
	}

	/**
	 * Nobody worked under the lock, nor will: it need not stay taken.
	 */
	public void waiveMinHold() {
		this.unused = true;
	}

	/**
	 * How long the lock has to stay taken after it is released, and so is handed over to
	 * nobody: what is left of its minimum hold, counted from when it was held, or a whole
	 * ttl if that is more and it may still take effect what was done.
	 * @param now the time of the release
	 * @return whole milliseconds, zero if it may be free, which has nothing to do with
	 * {@link #letExpire}
	 */
	public Duration keptFor(ClockReading now) {
		Duration left = ClockReading.untilWholeMillis(terms().minHold().toNanos() - (now.nanos() - this.since.nanos()));
		if (this.unused || left.isZero()) {
			return Duration.ZERO;
		}
		return (this.leftToExpire && left.compareTo(ttl()) < 0) ? ttl() : left;
	}

	/**
	 * The holder gives the lock back.
	 * @param now the time
	 * @return what to ask the store, and how to judge its answer
	 */
	public ReleaseDecision release(ClockReading now) {
		if (!end()) {
			return ReleaseDecision.ofLost();
		}
		boolean unknown = this.turn.unknown();
		Duration keptFor = keptFor(now);
		if (this.leftToExpire && keptFor.isZero()) {
			return ReleaseDecision.letExpire(this.lease, unknown, now);
		}
		return ReleaseDecision.keep(this.lease, unknown, keptFor,
				(this.leftToExpire) ? ReleaseOutcome.LEFT_TO_EXPIRE : ReleaseOutcome.RELEASED, now);
	}

	/**
	 * Whether a claim of its token may still be executed.
	 * @return whether the token may be granted once more after the release
	 */
	public boolean mayBeGrantedLate() {
		return this.turn.unknown();
	}

	/**
	 * Clean up what the release left behind. What has to run out is left alone until it
	 * has, and what has to stay taken is kept so.
	 * @param now the time
	 * @return when to release the token again
	 */
	public OrphanCleanup cleanUp(ClockReading now) {
		Duration keptFor = keptFor(now);
		if (!keptFor.isZero()) {
			return OrphanCleanup.keeping(now, keptFor, ttl(), this.turn.unknown());
		}
		return (this.leftToExpire) ? OrphanCleanup.afterExpiry(now, ttl())
				: new OrphanCleanup(now, ttl(), this.turn.unknown());
	}

	/**
	 * The client stops: the lock is lost.
	 * @param now the time
	 * @return whether to release it, once and without a proof, or to have it kept
	 */
	public boolean abandon(ClockReading now) {
		this.lease.lose(LossReason.SHUTDOWN);
		return end() && (!this.leftToExpire || !keptFor(now).isZero());
	}

	/**
	 * How long this holder has had the lock.
	 * @param now the time
	 * @return the time since the grant or the hand-over
	 */
	public Duration heldFor(ClockReading now) {
		return Duration.ofNanos(now.nanos() - this.since.nanos());
	}

	/**
	 * The holder for diagnostics.
	 * @param now the time
	 * @return the holder
	 */
	public LockHolder toHolder(ClockReading now) {
		Instant acquiredAt = this.turn.entry().acquiredAt();
		if (isHandedOver()) {
			acquiredAt = acquiredAt.plusNanos(this.since.nanos() - this.turn.begun().nanos());
		}
		return new LockHolder(this.owner, fence(), acquiredAt, heldFor(now), this.lease.remaining(now));
	}

	private synchronized boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

}
