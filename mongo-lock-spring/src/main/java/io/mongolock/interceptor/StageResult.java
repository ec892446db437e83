package io.mongolock.interceptor;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockUnavailableException;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.CallerContext.Carried;
import io.mongolock.concurrent.CallerContext.Task;

/**
 * A stage: the method begins once the lock is granted, and holds it until its stage has
 * ended. A caller that cancels before that ends the claim. Cancelling afterwards does not
 * reach the stage of the method: it would complete it, and free the lock, while the work
 * goes on.
 *
 * @param answer what the caller gets if others hold the lock; {@code null} if the failure
 * @param callers what an answer takes along of the thread of the caller
 */
record StageResult(@Nullable UnavailableAnswer answer, Supplier<CallerContext> callers) implements LaterResult {

	@Override
	public CompletableFuture<@Nullable Object> run(LaterLocking locking, LockedCall call) {
		UnavailableAnswer answer = this.answer;
		try {
			if (answer == null) {
				return locking.execute((held) -> stage(call.proceed()));
			}
			// Before a claim that nobody would be left to wait for
			Carried caller = this.callers.get().carry();
			return answered(locking.execute((held) -> stage(call.proceed())), call, answer, caller);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public Object runUnlocked(LockedCall call) {
		try {
			return Objects.requireNonNull(call.proceed(),
					() -> call + " must return a CompletionStage, but it returned null");
		}
		catch (Throwable ex) {
			// Whatever the method throws is the result
			return CompletableFuture.failedFuture(ex);
		}
	}

	@SuppressWarnings("NullAway") // sees no type arguments: an answer may be null
	private static CompletableFuture<@Nullable Object> answered(CompletableFuture<@Nullable Object> locked,
			LockedCall call, UnavailableAnswer answer, Carried caller) {
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		LaterLocking.whenEnded(locked, (value, failure) -> {
			if (failure instanceof LockUnavailableException ex && UnavailableAnswer.isTo(ex, call)) {
				answer(result, () -> caller.call(() -> answer.answer(call, ex)));
			}
			else {
				complete(result, value, failure);
			}
		});
		// No effect on one that has ended
		result.whenComplete((value, failure) -> locked.cancel(false));
		return result;
	}

	private static void answer(CompletableFuture<@Nullable Object> result, Task<@Nullable Object> answer) {
		try {
			Object answered = answer.call();
			if (answered == null) {
				result.complete(null);
			}
			else {
				stage(answered).whenComplete((value, failure) -> complete(result, value, failure));
			}
		}
		catch (Throwable failure) {
			// Whatever an answer throws is the result
			result.completeExceptionally(failure);
		}
	}

	private static void complete(CompletableFuture<@Nullable Object> result, @Nullable Object value,
			@Nullable Throwable failure) {
		if (failure != null) {
			result.completeExceptionally(failure);
		}
		else {
			result.complete(value);
		}
	}

	@SuppressWarnings({ "unchecked", "NullAway" }) // none: who waits for it says so
	private static CompletionStage<@Nullable Object> stage(@Nullable Object result) {
		return (CompletionStage<@Nullable Object>) result;
	}

}
