package io.mongolock.concurrent;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockCallback;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Work under a lock that ends when a stage does, whatever becomes of the result. The
 * stage is never cancelled: that would complete it while the work goes on. Thread-safe:
 * each of the three futures is completed once, and reacts to the one before it.
 *
 * @param <T> what the work results in
 */
public final class AsyncExecution<T extends @Nullable Object> {

	private final LockCallback<? extends CompletionStage<T>, ?> callback;

	private final Function<LockHandle, Scope> working;

	private final Executor releases;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	/**
	 * Create an execution.
	 * @param releases where the lock is released and the result completed, which may
	 * block
	 */
	public AsyncExecution(LockCallback<? extends CompletionStage<T>, ?> callback, Function<LockHandle, Scope> working,
			Executor releases) {
		this.callback = callback;
		this.working = working;
		this.releases = releases;
	}

	/**
	 * Work under the lock once it is granted.
	 */
	public CompletableFuture<T> run(CompletableFuture<LockHandle> claim) {
		// No effect on a claim that has been granted
		this.result.whenComplete((value, failure) -> claim.cancel(false));
		claim.whenComplete((handle, failure) -> {
			if (failure != null) {
				this.result.completeExceptionally(failure);
			}
			else {
				work(handle);
			}
		});
		return this.result;
	}

	private void work(LockHandle handle) {
		if (this.result.isDone()) {
			end(handle, null, null);
			return;
		}
		try {
			begin(handle).whenComplete((value, failure) -> this.releases.execute(() -> end(handle, value, failure)));
		}
		catch (Throwable ex) {
			// Whatever the callback throws is the result, as is a stage that has no end
			end(handle, null, ex);
		}
	}

	@SuppressWarnings("try") // closing is what the resources are for
	private CompletionStage<T> begin(LockHandle handle) throws Throwable {
		try (LockContext.Scope scope = LockContext.enter(handle); Scope work = this.working.apply(handle)) {
			handle.assertHeld();
			return Objects.requireNonNull(this.callback.doWithLock(handle),
					() -> "The work under lock '" + handle.key() + "' must return a stage, not null");
		}
	}

	private void end(LockHandle handle, @Nullable T value, @Nullable Throwable failure) {
		Throwable outcome = (failure instanceof CompletionException wrapper && wrapper.getCause() != null)
				? wrapper.getCause() : failure;
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

	@SuppressWarnings("NullAway") // what the stage ended with, null only if T may be
	private void complete(@Nullable T value) {
		this.result.complete(value);
	}

}
