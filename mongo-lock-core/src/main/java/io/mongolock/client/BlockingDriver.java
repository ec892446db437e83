package io.mongolock.client;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockUnavailableException;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.LastStep;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;

/**
 * Runs one acquisition on the thread that wants the lock. It sends the first request at
 * once, unless other attempts of this JVM are ahead in the queue. Belongs to that thread.
 * Other threads only set its flags.
 */
final class BlockingDriver implements LockAcquisition.Caller {

	private final LockAcquisition acquisition;

	private final ClaimSender sender;

	private final ClientRuntime runtime;

	private final DeadlockWatch deadlocks;

	private final Thread thread = Thread.currentThread();

	/** When the turn of the acquisition came; {@code null} after the turn was used. */
	private volatile @Nullable ClockReading turn;

	private volatile boolean stopped;

	/** When the acquisition was last woken; {@code null} after it has asked. */
	private @Nullable ClockReading woken;

	BlockingDriver(LockAcquisition acquisition, ClaimSender sender, ClientRuntime runtime, DeadlockWatch deadlocks) {
		this.acquisition = acquisition;
		this.sender = sender;
		this.runtime = runtime;
		this.deadlocks = deadlocks;
	}

	@Override
	public void turn() {
		this.turn = this.sender.now();
		// It does not wait if it was just handed an idle lease
		if (Thread.currentThread() != this.thread) {
			this.runtime.unpark(this.thread);
		}
	}

	@Override
	public void stop() {
		this.stopped = true;
		if (Thread.currentThread() != this.thread) {
			this.runtime.unpark(this.thread);
		}
	}

	/**
	 * Run the acquisition to its end.
	 * @throws LockUnavailableException if others hold the lock at the end of the wait, if
	 * the thread is interrupted, or if the client stops
	 */
	HeldLock acquire() {
		LastStep end = run();
		if (end instanceof Granted granted) {
			return granted.held();
		}
		throw this.acquisition.failure(end, this.sender.now());
	}

	/**
	 * Run the acquisition to its end.
	 * @return the lock, or {@code null} if others hold it at the end of the wait
	 * @throws LockUnavailableException if the thread is interrupted or the client stops
	 */
	@Nullable HeldLock tryAcquire() {
		LastStep end = run();
		if (end instanceof Failed failed) {
			throw failed.failure();
		}
		return (end instanceof Granted granted) ? granted.held() : null;
	}

	private LastStep run() {
		boolean watched = false;
		try {
			throwIfDisturbed();
			AcquisitionStep step = this.sender.begin(this.acquisition, this);
			if (step instanceof Ask) {
				step = ask();
			}
			watched = !(step instanceof LastStep);
			if (watched) {
				this.deadlocks.waits(this.acquisition);
			}
			while (!(step instanceof LastStep end)) {
				step = (step instanceof Wait wait) ? await(wait.nanos()) : ask();
			}
			return end;
		}
		catch (RuntimeException | Error ex) {
			this.sender.cancel(this.acquisition,
					(this.thread.isInterrupted()) ? AttemptOutcome.INTERRUPTED : AttemptOutcome.CANCELLED);
			throw ex;
		}
		finally {
			if (watched) {
				this.deadlocks.ended(this.acquisition);
			}
		}
	}

	private AcquisitionStep ask() {
		ClockReading woken = this.woken;
		this.woken = null;
		return this.sender.ask(this.acquisition, woken, false);
	}

	private AcquisitionStep await(long nanos) {
		long left = nanos;
		while (this.turn == null && left > 0) {
			throwIfDisturbed();
			this.runtime.park(this, left);
			left = this.acquisition.dueIn(this.sender.now());
		}
		throwIfDisturbed();
		this.woken = this.turn;
		if (this.woken != null) {
			this.turn = null;
			return this.sender.turn(this.acquisition);
		}
		return this.sender.timer(this.acquisition);
	}

	private void throwIfDisturbed() {
		if (this.stopped) {
			throw this.sender.stopped(this.acquisition);
		}
		if (Thread.currentThread().isInterrupted()) {
			throw this.acquisition.interrupted(this.sender.now());
		}
	}

}
