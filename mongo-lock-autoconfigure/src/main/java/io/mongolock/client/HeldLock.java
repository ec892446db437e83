package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.LocalWaitQueues;
import io.mongolock.core.LockAcquisition;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * A lock that this client was granted, with all handles that share it: the first one and
 * those of calls nested in it. Given back when the last one is closed. Thread-safe; the
 * count is guarded by the heldLock's own monitor.
 */
final class HeldLock implements LocalWaitQueues.Member {

	private final LockRequest request;

	private final StoredHolder holder;

	private final Lease lease;

	private final ClockReading granted;

	private final boolean unknown;

	private final AtomicBoolean ended = new AtomicBoolean();

	private final List<Interruption> interruptions = new CopyOnWriteArrayList<>();

	private volatile boolean leftToExpire;

	private int shares = 1;

	/**
	 * Create a heldLock.
	 * @param attempt the attempt that was granted
	 * @param step the grant
	 * @param now the time
	 * @param client is told if the lease is lost, after the guarded threads
	 */
	HeldLock(Attempt attempt, LockAcquisition.Granted step, ClockReading now, LostCallback client) {
		this.request = attempt.request();
		this.holder = step.holder();
		this.granted = now;
		this.unknown = attempt.claiming().unknown();
		this.lease = new Lease(attempt.claim().id(), step.holder().fence(), attempt.terms(), step.requested(),
				(lease) -> {
					this.interruptions.forEach(Interruption::interrupt);
					client.lost(this, lease.lossReason());
				});
	}

	LockRequest request() {
		return this.request;
	}

	Lease lease() {
		return this.lease;
	}

	LeaseId id() {
		return this.lease.id();
	}

	/**
	 * Whether a claim of this lease's token may still be executed.
	 * @return whether the token has to be cleaned up after the release
	 */
	boolean unknown() {
		return this.unknown;
	}

	@Override
	public int limit() {
		return this.request.limit();
	}

	/**
	 * Count one handle more.
	 * @return whether there was one still
	 */
	synchronized boolean share() {
		if (this.shares > 0) {
			this.shares++;
		}
		return this.shares > 0;
	}

	/**
	 * Count one handle less.
	 * @return whether it was the last
	 */
	synchronized boolean unshare() {
		return --this.shares == 0;
	}

	/**
	 * Let the lease run out instead of giving it back, as work under it may still take
	 * effect.
	 */
	void letExpire() {
		this.leftToExpire = true;
	}

	boolean isLeftToExpire() {
		return this.leftToExpire;
	}

	/**
	 * Take charge of giving the lock back.
	 * @return whether nobody else has
	 */
	boolean end() {
		return this.ended.compareAndSet(false, true);
	}

	/**
	 * Have a thread interrupted if the lease is lost, as {@link OnLost#INTERRUPT} says.
	 * @return ends it; {@code null} if the request says otherwise
	 */
	@Nullable Interruption interruptOnLoss() {
		if (this.request.onLost() != OnLost.INTERRUPT) {
			return null;
		}
		Interruption interruption = new Interruption(Thread.currentThread(), this.interruptions);
		this.interruptions.add(interruption);
		if (this.lease.lossReason() != null) {
			interruption.interrupt();
		}
		return interruption;
	}

	/**
	 * This heldLock for diagnostics.
	 * @param clock the clocks
	 * @return the holder
	 */
	LockHolder toHolder(LockClock clock) {
		ClockReading now = ClockReading.of(clock);
		return new LockHolder(this.holder.owner(), this.holder.fence(), this.holder.acquiredAt(),
				Duration.ofNanos(now.nanos() - this.granted.nanos()), this.lease.remaining(now));
	}

	/**
	 * Is told of a loss.
	 */
	@FunctionalInterface
	interface LostCallback {

		/**
		 * The lease of a heldLock was lost. Must neither block nor throw.
		 * @param heldLock the heldLock
		 * @param reason how
		 */
		void lost(HeldLock heldLock, @Nullable LossReason reason);

	}

	/**
	 * The time in which a thread is to be interrupted. The interrupt never comes after
	 * its end, and does not outlive it.
	 */
	static final class Interruption implements AutoCloseable {

		private final Thread thread;

		private final List<Interruption> registry;

		private boolean over;

		private boolean interrupted;

		private Interruption(Thread thread, List<Interruption> registry) {
			this.thread = thread;
			this.registry = registry;
		}

		private synchronized void interrupt() {
			if (!this.over && !this.interrupted) {
				this.interrupted = true;
				this.thread.interrupt();
			}
		}

		@Override
		public synchronized void close() {
			this.over = true;
			this.registry.remove(this);
			if (this.interrupted) {
				// Ours; what follows is the exception that says so
				Thread.interrupted();
			}
		}

	}

}
