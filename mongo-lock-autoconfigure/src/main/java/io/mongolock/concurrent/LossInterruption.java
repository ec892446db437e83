package io.mongolock.concurrent;

import org.jspecify.annotations.Nullable;

import io.mongolock.OnLost;
import io.mongolock.core.HeldLock;

/**
 * The time in which a thread is to be interrupted if its lock is lost. The interrupt
 * never comes after its end, and does not outlive it. Guarded by its own monitor.
 */
public final class LossInterruption implements AutoCloseable {

	private final Thread thread = Thread.currentThread();

	private final HeldLock heldLock;

	private final Runnable action = this::interrupt;

	private boolean over;

	private boolean interrupted;

	private LossInterruption(HeldLock heldLock) {
		this.heldLock = heldLock;
	}

	/**
	 * Have the current thread interrupted if a lock is lost, as {@link OnLost#INTERRUPT}
	 * says.
	 * @return ends it; {@code null} if the request says otherwise
	 */
	public static @Nullable LossInterruption begin(HeldLock heldLock) {
		if (heldLock.request().onLost() != OnLost.INTERRUPT) {
			return null;
		}
		LossInterruption interruption = new LossInterruption(heldLock);
		heldLock.shares().onLoss(interruption.action);
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
		this.heldLock.shares().removeOnLoss(this.action);
		if (this.interrupted) {
			// Ours; what follows is the exception that says so
			Thread.interrupted();
		}
	}

}
