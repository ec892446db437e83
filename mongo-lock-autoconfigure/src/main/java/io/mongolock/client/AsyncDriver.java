package io.mongolock.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.End;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.LockAcquisition;

/**
 * Runs one acquisition that occupies a thread only while it asks the store. Thread-safe:
 * the acquisition orders the events; the timer, guarded by the monitor, is always that of
 * its present phase.
 */
final class AsyncDriver implements LockAcquisition.Caller {

	private final LockAcquisition acquisition;

	private final ClaimSender sender;

	private final HeldLocks heldLocks;

	private final Supplier<ClientThreads> threads;

	private final CompletableFuture<LockHandle> result = new CompletableFuture<>();

	private @Nullable Future<?> timer;

	AsyncDriver(LockAcquisition acquisition, ClaimSender sender, HeldLocks heldLocks, Supplier<ClientThreads> threads) {
		this.acquisition = acquisition;
		this.sender = sender;
		this.heldLocks = heldLocks;
		this.threads = threads;
	}

	/**
	 * Begin the acquisition.
	 * @return its end; completed otherwise, for instance cancelled, it ends the
	 * acquisition
	 */
	CompletableFuture<LockHandle> start() {
		this.result.whenComplete((handle, failure) -> act(this.acquisition.cancel()));
		act(this.acquisition.begin(this, this.sender.now()));
		if (!this.sender.isRunning()) {
			// Stopped while it joined: nobody else may have seen it
			stop();
		}
		return this.result;
	}

	@Override
	public void turn() {
		act(this.acquisition.turn(this.sender.now()));
	}

	@Override
	public void stop() {
		AcquisitionStep step = this.acquisition.cancel();
		act(step);
		if (step instanceof Cancelled) {
			fail(LockExceptions.stopped(this.acquisition.key(), this.sender.waited(this.acquisition)));
		}
	}

	private void timer() {
		act(this.acquisition.timer(this.sender.now()));
	}

	private void ask() {
		AcquisitionStep step = null;
		try {
			step = this.sender.ask(this.acquisition);
			act(step);
		}
		catch (RuntimeException | Error ex) {
			if (step instanceof Granted granted) {
				this.heldLocks.takeBack(granted.held(), ex);
			}
			act(this.acquisition.cancel());
			fail(ex);
		}
	}

	private void act(AcquisitionStep step) {
		setTimer();
		if (step instanceof Ask) {
			this.threads.get().run(this::ask);
		}
		else if (step instanceof End end) {
			this.sender.settle(this.acquisition, end);
			end(end);
		}
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

	private void end(End end) {
		if (end instanceof Granted granted) {
			LockHandle handle = new LeaseHandle(granted.held(), this.heldLocks);
			ForkJoinPool.commonPool().execute(() -> {
				if (!this.result.complete(handle)) {
					handle.close();
				}
			});
		}
		else if (!(end instanceof Cancelled)) {
			fail(LockExceptions.of(this.acquisition, end, this.sender.waited(this.acquisition)));
		}
	}

	// What the caller attached runs on the common pool, as it may block
	private void fail(Throwable failure) {
		ForkJoinPool.commonPool().execute(() -> this.result.completeExceptionally(failure));
	}

}
