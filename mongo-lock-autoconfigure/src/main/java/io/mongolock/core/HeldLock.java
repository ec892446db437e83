package io.mongolock.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * A lock that was granted, from the grant to its end: who shares it, whether it is still
 * held, and what is to be done when it is renewed, lost, released or left to expire.
 * Knows no thread, clock or driver. Thread-safe; shares and end are guarded by its own
 * monitor, everything else by the lease's.
 */
public final class HeldLock implements LocalWaitQueues.Member {

	private final LockRequest request;

	private final StoredHolder holder;

	private final Lease lease;

	private final ClockReading granted;

	private final boolean unknown;

	private final List<Runnable> lossActions = new CopyOnWriteArrayList<>();

	private volatile boolean leftToExpire;

	private boolean ended;

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
		this.holder = grant.holder();
		this.granted = now;
		this.unknown = grant.unknown();
		this.lease = new Lease(grant.id(), grant.holder().fence(), grant.terms(), grant.requested(), (lost) -> {
			this.lossActions.forEach(Runnable::run);
			onLost.accept(this);
		});
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

	public long fence() {
		return this.lease.fence();
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
		return this.holder.limit();
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
	 * The store answered a renewal.
	 * @param found whether it still has the lease
	 * @param requested when the request left
	 * @param now the time
	 * @return whether the lock is held
	 */
	public boolean renewed(boolean found, ClockReading requested, ClockReading now) {
		if (!found) {
			this.lease.lose(LossReason.REFUSED);
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
	 * The holder gives the lock back.
	 * @param now the time
	 * @return what to ask the store, and how to judge its answer
	 */
	public ReleaseDecision release(ClockReading now) {
		if (!end()) {
			return ReleaseDecision.ofLost();
		}
		return (this.leftToExpire) ? ReleaseDecision.letExpire(this.lease, this.unknown, now)
				: ReleaseDecision.begin(this.lease, this.unknown, now);
	}

	/**
	 * Clean up what the release left behind. What has to run out is left alone until it
	 * has.
	 * @param now the time
	 * @return when to release the token again
	 */
	public OrphanCleanup cleanUp(ClockReading now) {
		return (this.leftToExpire) ? OrphanCleanup.afterExpiry(now, terms().ttl())
				: new OrphanCleanup(now, terms().ttl(), this.unknown);
	}

	/**
	 * The client stops: the lock is lost.
	 * @return whether to release it, once and without a proof
	 */
	public boolean abandon() {
		this.lease.lose(LossReason.SHUTDOWN);
		return end() && !this.leftToExpire;
	}

	/**
	 * The holder for diagnostics.
	 * @param now the time
	 * @return the holder
	 */
	public LockHolder toHolder(ClockReading now) {
		return new LockHolder(this.holder.owner(), this.holder.fence(), this.holder.acquiredAt(),
				Duration.ofNanos(now.nanos() - this.granted.nanos()), this.lease.remaining(now));
	}

	private synchronized boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

}
