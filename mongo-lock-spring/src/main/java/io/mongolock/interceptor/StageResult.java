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
 * A stage. The method begins once the lock is granted, and the lock is held until the
 * method's stage has ended. Cancelling before the method begins ends the claim.
 * Cancelling later does not reach the method's stage, because this would complete the
 * stage and free the lock while the work goes on.
 *
 * @param answer the answer for the caller if another holder has the lock; {@code null} if
 * the caller gets the failure
 * @param callers captures the values of the caller's thread for an answer
 */
record StageResult(@Nullable UnavailableAnswer answer, Supplier<CallerContext> callers) implements LaterResult {

	@Override
	public CompletableFuture<@Nullable Object> run(LaterLocking locking, LockedCall call) {
		UnavailableAnswer answer = this.answer;
		try {
			if (answer == null) {
				return locking.execute((held) -> stage(call.proceed()));
			}
			// Capture before the claim: if this failed later, the claim would have no
			// waiter
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
			// Any exception of the method becomes the result
			return CompletableFuture.failedFuture(ex);
		}
	}

	@SuppressWarnings("NullAway") // ignores type arguments: an answer may be null
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
		// Has no effect if the locked work has ended
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
			// Any exception of the answer becomes the result
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

	@SuppressWarnings({ "unchecked", "NullAway" }) // its waiter reports a null stage
	private static CompletionStage<@Nullable Object> stage(@Nullable Object result) {
		return (CompletionStage<@Nullable Object>) result;
	}

}
