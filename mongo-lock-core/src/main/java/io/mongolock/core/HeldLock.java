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
 * A lock from its grant or hand-over to the end of this hold. Its {@link Lease} says
 * whether it is still held. Its {@link HoldState} says who relies on it and how it ends.
 * The lock itself decides whether it suits the terms of the next waiter ({@link #suits}).
 * Knows no thread, clock or driver. Thread-safe, because its parts are.
 */
public final class HeldLock implements WaitQueue.Member {

	private final Attempt attempt;

	private final Grant grant;

	private final Lease lease;

	/** When this hold began. */
	private final ClockReading since;

	private final Consumer<HeldLock> onLost;

	private final HoldState state;

	private final Streak streak;

	/** Whether its holder lets the lease be idle afterwards. */
	private final boolean lingers;

	private final boolean hasContent;

	private @Nullable Object content;

	/**
	 * Begin with the grant.
	 * @param content the content that the store keeps with the lock, {@code null} if it
	 * keeps none
	 * @param onLost is called once if the lock is lost, on the thread that notices, after
	 * the {@link HoldState#onLoss actions} of all who work under the lock; must neither
	 * block nor throw
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
	 * The state of this hold: who relies on it, and its end.
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
	 * @return the ttl of the grant, at least the ttl in the {@link #terms()}
	 */
	public Duration ttl() {
		return this.grant.entry().ttl();
	}

	/**
	 * Whether another attempt of this JVM had the grant before.
	 * @return whether the lock was handed over, or its idle lease was taken, instead of
	 * being granted
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
	 * The holds of this JVM in a row: since the grant, or since the lease was last idle.
	 * While it was idle, nobody waited.
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
	 * Whether its holder lets the client keep the lease afterwards.
	 */
	public boolean lingers() {
		return this.lingers;
	}

	/**
	 * The knowledge of the grant about others who want the lock.
	 * @return {@code null} if its lease is never idle
	 */
	public @Nullable Recall recall() {
		return this.grant.recall();
	}

	/**
	 * Whether others want the lock, as far as is known.
	 * @return whether its lease must not be idle any more
	 */
	public boolean isRecalled() {
		Recall recall = recall();
		return recall != null && recall.isWanted();
	}

	/**
	 * When the request left that was granted.
	 */
	public ClockReading askedAt() {
		return this.grant.begun();
	}

	/**
	 * Whether the lease may be idle when this holder is done.
	 * @return whether the grant allows it, its fences are not used up, and neither others
	 * nor the holder want the lock to be free or to stay taken
	 */
	public boolean mayBeIdle(ClockReading now) {
		return recall() != null && this.lingers && !isRecalled() && !this.grant.unknown() && !this.grant.contended()
				&& fence() < this.grant.lastFence() && this.lease.releaseRequest() == null
				&& this.state.mayBeHandedOver(now) && hasHalfLeft(terms(), now);
	}

	private boolean hasHalfLeft(LockTerms terms, ClockReading now) {
		return this.lease.elapsed(now) < terms.reliable().toNanos() / 2;
	}

	// The entry in the store must last as long as the next waiter asks for, with the same
	// limit and the same name of the owner. The waiter must want renewals, and the lock
	// must not have to stay taken. At least half of the reliable time must be left, as it
	// is unless renewals fail. An idle lease is only for an attempt that may leave it
	// idle
	boolean suits(Attempt next, ClockReading now) {
		LockTerms terms = next.terms();
		return next.limit() == limit() && terms.autoRenew() && this.state.mayBeHandedOver(now)
				&& Objects.equals(next.request().settings().as(), request().settings().as())
				&& terms.ttl().compareTo(ttl()) <= 0 && hasHalfLeft(terms, now)
				&& (!this.state.wasLeftIdle() || next.lingers() && !isRecalled() && this.lease.isIdle());
	}

	public LockTerms terms() {
		return this.lease.terms();
	}

	/**
	 * Why the lock was lost.
	 * @return the reason, or {@code null} if the lock was not lost
	 */
	public @Nullable LossReason lossReason() {
		return this.lease.lossReason();
	}

	@Override
	public int limit() {
		return this.grant.entry().limit();
	}

	/**
	 * The content that the store sent along with the grant.
	 * @return the content at the first call; {@code null} from then on
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
	 * A statement has found the lease and renewed it. This proves that the lock was
	 * granted to nobody else, so the lock is held even if the lease had run out.
	 */
	public void found(ClockReading requested, ClockReading now) {
		this.lease.found(requested, now);
	}

	/**
	 * The holder hands the lock over instead of releasing it, at once or after its lease
	 * was idle.
	 * @return the lock as the next holder has it, or {@code null} if it is neither held
	 * nor idle, or has to run out
	 */
	@Nullable HeldLock handOver(Attempt to, ClockReading now) {
		boolean idle = this.state.wasLeftIdle();
		HeldLock successor = new HeldLock(this, to, now, !idle);
		boolean handed = this.state.handOver(successor.lease, now);
		Recall recall = recall();
		if (handed && idle && recall != null) {
			recall.serve();
		}
		return (handed) ? successor : null;
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
