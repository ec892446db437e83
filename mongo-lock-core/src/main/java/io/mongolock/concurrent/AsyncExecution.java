package io.mongolock.concurrent;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
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
import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.concurrent.CallerContext.Carried;
import io.mongolock.concurrent.CallerContext.Task;
import io.mongolock.core.HoldState;
import io.mongolock.core.LockExceptions;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Work under locks, which are held until the stage of the work ends, whatever becomes of
 * the result. Each lock is claimed while the locks before it are held. If a lock is lost
 * and its request wants an interrupt, the thread that begins the work is interrupted, and
 * the stage is cancelled. Nothing else cancels the stage while the locks are held. A
 * cancel would complete the stage, and so release the locks while the work goes on.
 * Thread-safe: claims, stage and result are completed once, and each reacts to the one
 * before it.
 *
 * @param <T> the type of the result
 */
public final class AsyncExecution<T extends @Nullable Object> {

	private final LockCallback<? extends CompletionStage<T>, ?> callback;

	private final Function<LockHandle, Scope> working;

	private final Function<LockHandle, @Nullable HoldState> interrupting;

	private final Consumer<LockHandle> unused;

	private final Executor releases;

	private final Carried caller;

	private final CompletableFuture<T> result = new Result();

	/** The locks that are held, in the order of their keys once the work begins. */
	private final List<LockHandle> held = new ArrayList<>();

	private final Runnable onLoss = new Loss(this);

	private volatile @Nullable CompletableFuture<LockHandle> claim;

	private volatile @Nullable CompletionStage<T> stage;

	private volatile boolean lost;

	/** Whether a loss has cancelled the stage. The work then ends with this loss. */
	private volatile boolean cancelled;

	/**
	 * Create an execution.
	 * @param interrupting finds the hold whose loss interrupts the work; {@code null} if
	 * the loss of a lock interrupts nothing
	 * @param unused is given a lock under which no work will be done here, before this
	 * use of the lock ends
	 * @param releases runs tasks that may block: it releases the locks, completes the
	 * result, and begins work that would otherwise begin on the thread of the caller
	 * @param context takes the context of the current thread, for the callback
	 */
	public AsyncExecution(LockCallback<? extends CompletionStage<T>, ?> callback, Function<LockHandle, Scope> working,
			Function<LockHandle, @Nullable HoldState> interrupting, Consumer<LockHandle> unused, Executor releases,
			CallerContext context) {
		this.callback = callback;
		this.working = working;
		this.interrupting = interrupting;
		this.unused = unused;
		this.releases = releases;
		this.caller = context.carry();
	}

	/**
	 * Work on the calling thread, under locks that this thread already holds.
	 */
	public CompletableFuture<T> run(List<LockHandle> shared) {
		shared.forEach(this::hold);
		work();
		return this.result;
	}

	/**
	 * Work under the locks once all of them are granted.
	 * @param shared the locks that the calling thread already holds; unchanged if this
	 * method throws an exception
	 * @param requests the locks to claim, at least one
	 * @param claims begins a claim; may throw an exception instead
	 */
	public CompletableFuture<T> run(List<LockHandle> shared, Iterator<LockRequest> requests,
			Function<LockRequest, CompletableFuture<LockHandle>> claims) {
		CompletableFuture<LockHandle> first = claims.apply(requests.next());
		shared.forEach(this::hold);
		await(first, requests, (request) -> {
			try {
				return this.caller.call(() -> working(0, () -> claims.apply(request)));
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		});
		// This has no effect on a claim that has been granted
		this.result.whenComplete((value, failure) -> endClaim());
		return this.result;
	}

	private void await(CompletableFuture<LockHandle> claim, Iterator<LockRequest> requests,
			Function<LockRequest, CompletableFuture<LockHandle>> claims) {
		Thread caller = Thread.currentThread();
		this.claim = claim;
		if (this.lost || this.result.isDone()) {
			endClaim();
		}
		claim.whenComplete((handle, failure) -> {
			if (failure != null) {
				refused(failure);
				return;
			}
			hold(handle);
			if (requests.hasNext()) {
				await(claims.apply(requests.next()), requests, claims);
			}
			else if (Thread.currentThread() == caller) {
				// The lock was granted before this function was attached, so this is the
				// thread of the caller, which perhaps must not block
				this.releases.execute(this::work);
			}
			else {
				work();
			}
		});
	}

	private void hold(LockHandle handle) {
		this.held.add(handle);
		HoldState hold = this.interrupting.apply(handle);
		if (hold != null) {
			hold.onLoss(this.onLoss);
		}
	}

	private void refused(Throwable failure) {
		if (this.held.isEmpty()) {
			this.result.completeExceptionally(failure);
			return;
		}
		boolean maybeLost = this.lost || failure instanceof LockException;
		this.releases.execute(() -> endUnused((maybeLost && failure instanceof RuntimeException ex)
				? LockExceptions.orLoss(this.held, ex) : failure));
	}

	private void endUnused(@Nullable Throwable failure) {
		this.held.forEach(this.unused);
		end(null, failure);
	}

	private void work() {
		if (this.result.isDone()) {
			endUnused(null);
			return;
		}
		this.held.sort(Comparator.comparing(LockHandle::key));
		try {
			CompletionStage<T> stage = begin(0);
			this.stage = stage;
			stage.whenComplete((value, failure) -> this.releases.execute(() -> end(value, failure)));
			if (this.lost) {
				lost();
			}
		}
		catch (Throwable ex) {
			// The result is this exception, from the callback or from a stage that cannot
			// report its end
			end(null, ex);
		}
	}

	@SuppressWarnings("try") // the resources are there only to be closed
	private CompletionStage<T> begin(int next) throws Throwable {
		if (next == this.held.size()) {
			return this.caller.call(() -> working(0, this::callback));
		}
		LockHandle handle = this.held.get(next);
		HoldState hold = this.interrupting.apply(handle);
		try (LossInterruption interruption = (hold != null) ? LossInterruption.begin(hold, this.releases) : null;
				LockContext.Scope scope = LockContext.enter(handle)) {
			return begin(next + 1);
		}
	}

	// This runs within the context of the caller, so that log lines and spans name these
	// locks
	@SuppressWarnings("try") // the resource is there only to be closed
	private <R> R working(int next, Task<R> task) throws Throwable {
		if (next == this.held.size()) {
			return task.call();
		}
		try (Scope work = this.working.apply(this.held.get(next))) {
			return working(next + 1, task);
		}
	}

	private CompletionStage<T> callback() throws Throwable {
		// One lock may have been lost while the call waited for another one
		this.held.forEach(LockHandle::assertHeld);
		LockHandle innermost = this.held.get(this.held.size() - 1);
		return Objects.requireNonNull(this.callback.doWithLock(innermost), () -> "The work under lock '"
				+ innermost.key() + "' must return a CompletionStage, but it returned null");
	}

	// The thread that notices a loss must not run code of the application
	private void lost() {
		this.lost = true;
		this.releases.execute(() -> {
			endClaim();
			cancelStage();
		});
	}

	private void endClaim() {
		CompletableFuture<LockHandle> claim = this.claim;
		if (claim != null) {
			claim.cancel(false);
		}
	}

	private void cancelStage() {
		if (this.stage instanceof Future<?> future) {
			this.cancelled = true;
			try {
				future.cancel(true);
			}
			catch (UnsupportedOperationException ex) {
				// This is a minimal stage of the JDK, which ends by itself
			}
		}
	}

	private void end(@Nullable T value, @Nullable Throwable failure) {
		Throwable outcome = causeOf(failure);
		if (this.cancelled && outcome instanceof CancellationException) {
			outcome = null;
		}
		for (int i = this.held.size() - 1; i >= 0; i--) {
			LockHandle handle = this.held.get(i);
			HoldState hold = this.interrupting.apply(handle);
			if (hold != null) {
				hold.removeOnLoss(this.onLoss);
			}
			outcome = close(handle, outcome);
		}
		if (outcome != null) {
			this.result.completeExceptionally(outcome);
		}
		else {
			complete(value);
		}
	}

	/**
	 * Close one of several handles. This method never throws an exception, so that the
	 * other handles can be closed, too.
	 * @param outcome the failure so far, {@code null} if there was none
	 * @return the failure, including a failure of the close
	 */
	public static @Nullable Throwable close(LockHandle handle, @Nullable Throwable outcome) {
		try {
			handle.close();
			return outcome;
		}
		catch (RuntimeException | Error ex) {
			if (outcome == null) {
				return ex;
			}
			outcome.addSuppressed(ex);
			return outcome;
		}
	}

	private static @Nullable Throwable causeOf(@Nullable Throwable failure) {
		return (failure instanceof CompletionException wrapper && wrapper.getCause() != null) ? wrapper.getCause()
				: failure;
	}

	@SuppressWarnings("NullAway") // null only if T may be null
	private void complete(@Nullable T value) {
		this.result.complete(value);
	}

	/**
	 * Refers to the execution only weakly, so that forgotten work can be collected and
	 * noticed.
	 */
	private static final class Loss implements Runnable {

		private final WeakReference<AsyncExecution<?>> execution;

		private Loss(AsyncExecution<?> execution) {
			this.execution = new WeakReference<>(execution);
		}

		@Override
		public void run() {
			AsyncExecution<?> execution = this.execution.get();
			if (execution != null) {
				execution.lost();
			}
		}

	}

	/**
	 * Functions that are attached as asynchronous may block, so they run on threads that
	 * may block.
	 */
	private final class Result extends CompletableFuture<T> {

		@Override
		public Executor defaultExecutor() {
			return AsyncExecution.this.releases;
		}

	}

}
