package io.mongolock.concurrent;

import java.util.concurrent.Executor;

import io.mongolock.core.HoldState;

/**
 * The time in which a thread is interrupted if its lock is lost. The interrupt never
 * comes after the end of this time. The end clears the interrupt, unless an outer
 * interruption of this thread has reacted to the same loss. Guarded by its own monitor.
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
	 * Interrupt the current thread if a lock is lost.
	 * @param hold the hold that reports the loss
	 * @param threads runs a task that may block, at once
	 * @return the interruption, which ends when it is closed
	 */
	public static LossInterruption begin(HoldState hold, Executor threads) {
		LossInterruption interruption = new LossInterruption(hold, threads);
		hold.onLoss(interruption);
		return interruption;
	}

	// An interrupt closes a channel that the thread reads or writes, and waits for this
	// close. The thread that notices losses must not wait
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
		// This interrupt is ours, and the exception that follows reports the loss
		if (this.interrupted && Thread.interrupted() && this.hold.hasOnLoss(this::isInterruptedAround)) {
			// The interrupt is also for the outer call, which the exception may reach
			// late or never
			this.thread.interrupt();
		}
	}

}
