package io.mongolock.concurrent;

import org.jspecify.annotations.Nullable;

import io.mongolock.OnLost;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockShares;

/**
 * The time in which a thread is to be interrupted if its lock is lost. The interrupt
 * never comes after its end, and does not outlive it. Guarded by its own monitor.
 */
public final class LossInterruption implements AutoCloseable {

	private final Thread thread = Thread.currentThread();

	private final LockShares shares;

	private final Runnable action = this::interrupt;

	private boolean over;

	private boolean interrupted;

	private LossInterruption(LockShares shares) {
		this.shares = shares;
	}

	/**
	 * Have the current thread interrupted if a lock is lost, as {@link OnLost#INTERRUPT}
	 * says.
	 * @return ends it; {@code null} if the request says otherwise
	 */
	public static @Nullable LossInterruption begin(HeldLock heldLock) {
		return begin((heldLock.request().onLost() == OnLost.INTERRUPT) ? heldLock.shares() : null);
	}

	/**
	 * Have the current thread interrupted if a lock is lost.
	 * @param shares where to hear of that; {@code null} if nothing is to be done
	 * @return ends it; {@code null} if there is nothing to end
	 */
	static @Nullable LossInterruption begin(@Nullable LockShares shares) {
		if (shares == null) {
			return null;
		}
		LossInterruption interruption = new LossInterruption(shares);
		shares.onLoss(interruption.action);
		return interruption;
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
		this.shares.removeOnLoss(this.action);
		if (this.interrupted) {
			// Ours; what follows is the exception that says so
			Thread.interrupted();
		}
	}

}
