package io.mongolock.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.client.RequestQueue.Reason;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.LastStep;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;

/**
 * Runs one acquisition, which occupies a thread only while it asks the store.
 * Thread-safe: the acquisition orders the events. The thread that gets its last step
 * completes the result. The monitor guards the timer, which always belongs to the present
 * phase of the acquisition.
 */
final class AsyncDriver implements LockAcquisition.Caller {

	private final LockAcquisition acquisition;

	private final ClaimSender sender;

	private final HoldRegistry holds;

	private final Supplier<ClientThreads> threads;

	private final Function<HeldLock, LockHandle> handles;

	private final CompletableFuture<LockHandle> result = new CompletableFuture<>();

	/** When the acquisition was last woken; {@code null} after it has asked. */
	private volatile @Nullable ClockReading woken;

	private @Nullable Future<?> timer;

	/**
	 * Create a driver.
	 * @param handles makes the handle, or takes the lock back and throws an exception
	 */
	AsyncDriver(LockAcquisition acquisition, ClaimSender sender, HoldRegistry holds, Supplier<ClientThreads> threads,
			Function<HeldLock, LockHandle> handles) {
		this.acquisition = acquisition;
		this.sender = sender;
		this.holds = holds;
		this.threads = threads;
		this.handles = handles;
	}

	/**
	 * Begin the acquisition.
	 * @return a future that completes when the acquisition ends. If other code completes
	 * the future, for example by a cancel or a timeout, the acquisition ends, and a lock
	 * that is granted later is released at once
	 */
	CompletableFuture<LockHandle> start() {
		this.result.whenComplete((handle, failure) -> cancel());
		act(() -> this.sender.begin(this.acquisition, this));
		return this.result;
	}

	@Override
	public void turn() {
		this.woken = this.sender.now();
		if (this.sender.isRunning()) {
			act(() -> this.sender.turn(this.acquisition));
		}
		else {
			// The acquisition ends and calls the next one. With thousands of waiters,
			// these calls must not be nested
			this.threads.get().complete(() -> act(() -> this.sender.turn(this.acquisition)));
		}
	}

	@Override
	public void stop() {
		if (cancel()) {
			fail(this.sender.stopped(this.acquisition));
		}
	}

	private boolean cancel() {
		try {
			boolean cancelled = this.sender.cancel(this.acquisition, AttemptOutcome.CANCELLED);
			setTimer();
			return cancelled;
		}
		catch (RuntimeException | Error ex) {
			giveUp(ex);
			return false;
		}
	}

	private void timer() {
		act(() -> this.sender.timer(this.acquisition));
	}

	// If many requests take long, a blocked document keeps a thread only for a moment. If
	// the store is slow for all documents, such a short timeout would close healthy
	// connections
	private void ask(boolean brief) {
		ClockReading woken = this.woken;
		this.woken = null;
		Duration timeout = this.acquisition.attempt().terms().operationTimeout();
		boolean first = brief && !this.threads.get().isSlow() && timeout.compareTo(DividedEnding.TIMEOUT) > 0;
		act(() -> this.sender.ask(this.acquisition, woken, first), true);
	}

	private void act(Supplier<AcquisitionStep> event) {
		act(event, false);
	}

	private void act(Supplier<AcquisitionStep> event, boolean asks) {
		AcquisitionStep step = null;
		try {
			ClockReading begun = this.sender.now();
			step = event.get();
			if (asks) {
				measure(step, begun);
			}
			setTimer();
			if (step instanceof Ask) {
				this.threads.get().claim(this.acquisition.attempt().key(), reason(), this::ask);
			}
			else if (step instanceof LastStep end) {
				end(end);
			}
		}
		catch (RuntimeException | Error ex) {
			if (step instanceof Granted granted) {
				this.holds.takeBack(granted.held(), ex);
			}
			giveUp(ex);
		}
	}

	private void measure(AcquisitionStep step, ClockReading asked) {
		if (step instanceof Granted || !(step instanceof TooLate || this.acquisition.isUnanswered())) {
			this.threads.get().answeredIn(this.sender.now().elapsedSince(asked));
		}
	}

	private Reason reason() {
		// An acquisition without a place delays no other waiter in the queue of the store
		if (this.woken != null && this.acquisition.position() != null) {
			return Reason.CALLED;
		}
		return (this.acquisition.isUnanswered()) ? Reason.UNANSWERED : Reason.OTHER;
	}

	private synchronized void setTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
			this.timer = null;
		}
		long nanos = this.acquisition.dueIn(this.sender.now());
		if (nanos >= 0) {
			this.timer = this.threads.get().after(nanos, this::timer);
		}
	}

	private void end(LastStep end) {
		if (end instanceof Granted granted) {
			this.threads.get().complete(() -> handOut(granted.held()));
		}
		else if (!(end instanceof Cancelled)) {
			fail(this.acquisition.failure(end, this.sender.now()));
		}
	}

	private void handOut(HeldLock heldLock) {
		try {
			LockHandle handle = this.handles.apply(heldLock);
			if (!this.result.complete(handle)) {
				heldLock.state().waiveMinHold();
				handle.close();
			}
		}
		catch (LockLostException ex) {
			// No caller got the lock, and its loss was published when it happened
		}
		catch (RuntimeException | Error ex) {
			this.result.completeExceptionally(ex);
		}
	}

	private void giveUp(Throwable failure) {
		try {
			this.sender.cancel(this.acquisition, AttemptOutcome.CANCELLED);
		}
		finally {
			fail(failure);
		}
	}

	private void fail(Throwable failure) {
		this.threads.get().complete(() -> this.result.completeExceptionally(failure));
	}

}
