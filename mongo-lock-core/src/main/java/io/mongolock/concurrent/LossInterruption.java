package io.mongolock.concurrent;

import java.util.concurrent.Executor;

import io.mongolock.core.HoldState;

/**
 * The time in which a thread is to be interrupted if its lock is lost. The interrupt
 * never comes after its end, and outlives it only for one around it that waits for the
 * same. Guarded by its own monitor.
 */
public final class LossInterruption implements Runnable, AutoCloseable {

	private final Thread thread = Thread.currentThread();

	private final HoldState hold;

	private final Executor threads;

	private boolean over;

	private boolean interrupted;

	private LossInterruption(HoldState hold, Executor threads) {
		this.hold = hold;
		this.threads = threads;
	}

	/**
	 * Have the current thread interrupted if a lock is lost.
	 * @param hold where to hear of that
	 * @param threads runs what may block, at once
	 * @return ends it
	 */
	public static LossInterruption begin(HoldState hold, Executor threads) {
		LossInterruption interruption = new LossInterruption(hold, threads);
		hold.onLoss(interruption);
		return interruption;
	}

	// An interrupt closes a channel that the thread reads or writes, and waits for that:
	// nothing for the thread that notices losses
	@Override
	public void run() {
		if (Thread.currentThread() == this.thread) {
			interrupt();
		}
		else {
			this.threads.execute(this::interrupt);
		}
	}

	private synchronized void interrupt() {
		if (!this.over && !this.interrupted) {
			this.interrupted = true;
			this.thread.interrupt();
		}
	}

	private boolean isInterruptedAround(Runnable action) {
		return action instanceof LossInterruption around && around.thread == this.thread && around.isInterrupted();
	}

	private synchronized boolean isInterrupted() {
		return this.interrupted;
	}

	@Override
	public synchronized void close() {
		this.over = true;
		this.hold.removeOnLoss(this);
		// Ours; what follows is the exception that says so
		if (this.interrupted && Thread.interrupted() && this.hold.hasOnLoss(this::isInterruptedAround)) {
			// Theirs as well, and the exception may reach them late or never
			this.thread.interrupt();
		}
	}

}
