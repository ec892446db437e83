package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;

/**
 * A lock that was granted or handed over, from then to its end: its {@link Lease} says
 * whether it is still held, its {@link HoldState} who relies on it and how it ends. It
 * decides itself whether it suits the terms of the next waiter ({@link #suits}). Knows no
 * thread, clock or driver. Thread-safe, as its parts are.
 */
public final class HeldLock implements WaitQueue.Member {

	private final Attempt attempt;

	private final Grant grant;

	private final Lease lease;

	/** Since when this one holds it. */
	private final ClockReading since;

	private final Consumer<HeldLock> onLost;

	private final HoldState state;

	private final Streak streak;

	/** Whether its lease may be idle next, as far as its holder says. */
	private final boolean lingers;

	private final boolean hasContent;

	private @Nullable Object content;

	/**
	 * Begin with the grant.
	 * @param content what the store keeps with the lock, if it does
	 * @param onLost is called once if the lock is lost, after the {@link HoldState#onLoss
	 * actions} of those who work under it, on the thread that notices; must neither block
	 * nor throw
	 */
	HeldLock(Attempt attempt, Grant grant, @Nullable Object content, ClockReading now, Consumer<HeldLock> onLost) {
		this.attempt = attempt;
		this.grant = grant;
		this.since = now;
		this.onLost = onLost;
		this.hasContent = content != null;
		this.content = content;
		this.lease = new Lease(attempt.id(), grant.entry().fence(), attempt.terms(), grant.begun(), this::lost);
		this.state = new HoldState(this.attempt, this.lease, this.grant, now);
		this.streak = new Streak(grant.begun().nanos(), fence());
		this.lingers = attempt.lingers();
	}

	private HeldLock(HeldLock from, Attempt to, ClockReading now, boolean sameStreak) {
		this.attempt = to;
		this.grant = from.grant;
		this.hasContent = from.hasContent;
		this.since = now;
		this.onLost = from.onLost;
		this.lease = from.lease.next(from.fence() + 1, to.terms(), this::lost);
		this.state = new HoldState(this.attempt, this.lease, this.grant, now);
		this.streak = (sameStreak) ? from.streak : new Streak(now.nanos(), fence());
		this.lingers = to.lingers();
	}

	private void lost(Lease lost) {
		this.state.lost();
		this.onLost.accept(this);
	}

	public LockRequest request() {
		return this.attempt.request();
	}

	public Lease lease() {
		return this.lease;
	}

	/**
	 * Its state: those who rely on it, and its end.
	 */
	public HoldState state() {
		return this.state;
	}

	public LeaseId id() {
		return this.lease.id();
	}

	public String key() {
		return id().key();
	}

	/**
	 * The number of this hold.
	 */
	public long fence() {
		return this.lease.fence();
	}

	/**
	 * The number of the grant, which stands in the store.
	 */
	public long grantFence() {
		return this.grant.entry().fence();
	}

	/**
	 * The grant as others see it in the store.
	 */
	public GrantId grantId() {
		return new GrantId(key(), grantFence());
	}

	/**
	 * How long the lease lasts in the store.
	 * @return the ttl of the grant, not less than in the {@link #terms()}
	 */
	public Duration ttl() {
		return this.grant.entry().ttl();
	}

	/**
	 * Whether another of this JVM held it before.
	 * @return whether it was handed over, or its lease idle, and not granted
	 */
	public boolean isHandedOver() {
		return fence() != grantFence();
	}

	/**
	 * Whether its lease was idle before.
	 * @return whether it began a streak without a grant
	 */
	public boolean wasIdle() {
		return isHandedOver() && handOvers() == 0;
	}

	Grant grant() {
		return this.grant;
	}

	/**
	 * The holds of this JVM in a row: from the grant, or since the lease was last idle,
	 * when nobody waited.
	 */
	Streak streak() {
		return this.streak;
	}

	/**
	 * How often the lock was handed over in this streak.
	 */
	long handOvers() {
		return this.streak.handOvers(fence());
	}

	/**
	 * Whether its holder lets the client keep the lease when it is done.
	 */
	public boolean lingers() {
		return this.lingers;
	}

	/**
	 * Whether others want the lock, as the grant knows.
	 * @throws NullPointerException if its lease is never idle
	 */
	Recall recall() {
		return Objects.requireNonNull(this.grant.recall());
	}

	/**
	 * Whether others want the lock, as far as is known.
	 * @return whether its lease may not be idle any more
	 */
	boolean isRecalled() {
		Recall recall = this.grant.recall();
		return recall != null && recall.isWanted();
	}

	// What stands in the store must not last less long than the next one asks for, nor be
	// known there by a stricter or looser limit, or as another's, or have to be renewed
	// for one who is not, or to stay taken. At least half of what it asks for is left, as
	// it is unless renewals fail
	boolean suits(Attempt next, ClockReading now) {
		LockTerms terms = next.terms();
		return next.limit() == limit() && terms.autoRenew() && this.state.mayBeHandedOver(now)
				&& Objects.equals(next.request().settings().as(), request().settings().as())
				&& terms.ttl().compareTo(ttl()) <= 0 && this.lease.elapsed(now) < terms.reliable().toNanos() / 2;
	}

	public LockTerms terms() {
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
		return this.grant.entry().limit();
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
	 * Whether the store has sent such content.
	 */
	public boolean hasContent() {
		return this.hasContent;
	}

	/**
	 * The store answered a renewal.
	 */
	public boolean renewed(boolean found, ClockReading requested, ClockReading now) {
		if (found) {
			return this.lease.renewed(requested, now);
		}
		this.lease.gone();
		return this.lease.isHeld(now);
	}

	/**
	 * A statement has found the lease and renewed it, which proves that nobody else was
	 * granted the lock: it is held, also if it had run out.
	 */
	public void found(ClockReading requested, ClockReading now) {
		this.lease.found(requested, now);
	}

	/**
	 * The holder hands the lock over instead of releasing it.
	 * @return the lock as the other holds it, or {@code null} if it is not held any more
	 * or has to run out
	 */
	@Nullable HeldLock handOver(Attempt to, ClockReading now) {
		HeldLock successor = new HeldLock(this, to, now, true);
		return (this.state.handOver(successor.lease, now)) ? successor : null;
	}

	/**
	 * Somebody takes the lease that is idle.
	 * @return the lock as that one holds it, or {@code null} if the lease is gone
	 */
	@Nullable HeldLock take(Attempt to, ClockReading now) {
		HeldLock taken = new HeldLock(this, to, now, false);
		if (!this.lease.handOver(taken.lease, now)) {
			return null;
		}
		recall().serve();
		return taken;
	}

	/**
	 * How long this holder has had the lock.
	 * @return the time since the grant or the hand-over
	 */
	public Duration heldFor(ClockReading now) {
		return Duration.ofNanos(now.nanos() - this.since.nanos());
	}

	/**
	 * The holder for diagnostics.
	 */
	public LockHolder toHolder(ClockReading now) {
		Instant acquiredAt = this.grant.entry().acquiredAt();
		if (isHandedOver()) {
			acquiredAt = acquiredAt.plusNanos(this.since.nanos() - this.grant.begun().nanos());
		}
		long left = Math.max(0, ttl().toNanos() - this.lease.elapsed(now));
		return new LockHolder(this.attempt.owner(), fence(), acquiredAt, heldFor(now), Duration.ofNanos(left));
	}

}
