package io.mongolock.concurrent;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockCallback;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.concurrent.CallerContext.Carried;
import io.mongolock.core.LockShares;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Work under a lock that ends when a stage does, whatever becomes of the result. The
 * thread that begins it is interrupted, and the stage cancelled, only where the lock is
 * lost and the request wants that: while the lock is held, a cancel would complete the
 * stage, and so free the lock, while the work goes on. Thread-safe: each of the three
 * futures is completed once, and reacts to the one before it.
 *
 * @param <T> what the work results in
 */
public final class AsyncExecution<T extends @Nullable Object> {

	private final LockCallback<? extends CompletionStage<T>, ?> callback;

	private final Function<LockHandle, Scope> working;

	private final Function<LockHandle, @Nullable LockShares> interrupting;

	private final Consumer<LockHandle> unused;

	private final Executor releases;

	private final Carried caller;

	private final CompletableFuture<T> result = new Result();

	/**
	 * Create an execution.
	 * @param interrupting where to hear of a loss that interrupts the work; {@code null}
	 * if none does
	 * @param unused is given a lock under which nothing will be done, before its release
	 * @param releases where work begins that would begin on the thread of the caller, the
	 * lock is released and the result completed, all of which may block
	 * @param context takes what the current thread carries, for the callback
	 */
	public AsyncExecution(LockCallback<? extends CompletionStage<T>, ?> callback, Function<LockHandle, Scope> working,
			Function<LockHandle, @Nullable LockShares> interrupting, Consumer<LockHandle> unused, Executor releases,
			CallerContext context) {
		this.callback = callback;
		this.working = working;
		this.interrupting = interrupting;
		this.unused = unused;
		this.releases = releases;
		this.caller = context.carry();
	}

	/**
	 * Work under the lock once it is granted.
	 */
	public CompletableFuture<T> run(CompletableFuture<LockHandle> claim) {
		Thread caller = Thread.currentThread();
		// No effect on a claim that has been granted
		this.result.whenComplete((value, failure) -> claim.cancel(false));
		claim.whenComplete((handle, failure) -> {
			if (failure != null) {
				this.result.completeExceptionally(failure);
			}
			else if (Thread.currentThread() == caller) {
				// Granted before this was attached; the caller must perhaps not block
				this.releases.execute(() -> work(handle));
			}
			else {
				work(handle);
			}
		});
		return this.result;
	}

	/**
	 * Work under a lock that the calling thread holds already, on that.
	 */
	public CompletableFuture<T> run(LockHandle shared) {
		work(shared);
		return this.result;
	}

	private void work(LockHandle handle) {
		if (this.result.isDone()) {
			this.unused.accept(handle);
			end(handle, null, null);
			return;
		}
		try {
			CompletionStage<T> stage = begin(handle);
			Interruption interruption = new Interruption(this.interrupting.apply(handle), stage);
			stage.whenComplete((value, failure) -> this.releases
				.execute(() -> end(handle, value, (interruption.end(failure)) ? null : failure)));
			interruption.begin();
		}
		catch (Throwable ex) {
			// Whatever the callback throws is the result, as is a stage that has no end
			end(handle, null, ex);
		}
	}

	@SuppressWarnings("try") // closing is what the resources are for
	private CompletionStage<T> begin(LockHandle handle) throws Throwable {
		try (LossInterruption interruption = LossInterruption.begin(this.interrupting.apply(handle), this.releases);
				LockContext.Scope scope = LockContext.enter(handle)) {
			return this.caller.call(() -> callback(handle));
		}
	}

	@SuppressWarnings("try") // closing is what the resource is for
	private CompletionStage<T> callback(LockHandle handle) throws Throwable {
		// Within what the caller carries, so that log lines and spans name this lock
		try (Scope work = this.working.apply(handle)) {
			handle.assertHeld();
			return Objects.requireNonNull(this.callback.doWithLock(handle),
					() -> "The work under lock '" + handle.key() + "' must return a stage, not null");
		}
	}

	private void end(LockHandle handle, @Nullable T value, @Nullable Throwable failure) {
		Throwable outcome = causeOf(failure);
		try {
			handle.close();
		}
		catch (RuntimeException | Error ex) {
			if (outcome != null) {
				outcome.addSuppressed(ex);
			}
			else {
				outcome = ex;
			}
		}
		if (outcome != null) {
			this.result.completeExceptionally(outcome);
		}
		else {
			complete(value);
		}
	}

	private static @Nullable Throwable causeOf(@Nullable Throwable failure) {
		return (failure instanceof CompletionException wrapper && wrapper.getCause() != null) ? wrapper.getCause()
				: failure;
	}

	@SuppressWarnings("NullAway") // what the stage ended with, null only if T may be
	private void complete(@Nullable T value) {
		this.result.complete(value);
	}

	/** Dependents that run asynchronously may block, so they get threads that may. */
	private final class Result extends CompletableFuture<T> {

		@Override
		public Executor defaultExecutor() {
			return AsyncExecution.this.releases;
		}

	}

	/**
	 * Cancels a stage if the lock is lost; the loss is then what it ends with. The one
	 * that notices a loss runs no code of others.
	 */
	private final class Interruption implements Runnable {

		private final @Nullable LockShares shares;

		private final CompletionStage<T> stage;

		private volatile boolean cancelled;

		private volatile boolean over;

		private Interruption(@Nullable LockShares shares, CompletionStage<T> stage) {
			this.shares = shares;
			this.stage = stage;
		}

		private void begin() {
			if (this.shares != null) {
				this.shares.onLoss(this);
				if (this.over) {
					// Ended before this was added
					this.shares.removeOnLoss(this);
				}
			}
		}

		@Override
		public void run() {
			AsyncExecution.this.releases.execute(() -> {
				if (this.stage instanceof Future<?> future) {
					this.cancelled = true;
					try {
						future.cancel(true);
					}
					catch (UnsupportedOperationException ex) {
						// A minimal stage of the JDK, which ends by itself
					}
				}
			});
		}

		/**
		 * The stage has ended.
		 * @return whether by the cancel, which the loss stands for
		 */
		private boolean end(@Nullable Throwable failure) {
			this.over = true;
			if (this.shares != null) {
				this.shares.removeOnLoss(this);
			}
			return this.cancelled && causeOf(failure) instanceof CancellationException;
		}

	}

}
