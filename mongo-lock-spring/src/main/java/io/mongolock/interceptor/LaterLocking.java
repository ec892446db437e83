package io.mongolock.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockUnavailableException;

/**
 * The locks of a call whose keys are known, for work that ends later. May be used several
 * times.
 */
@FunctionalInterface
interface LaterLocking {

	/**
	 * Acquire them, and release them when the work has ended, as
	 * {@link io.mongolock.LockOperations#executeAsync} does.
	 */
	CompletableFuture<@Nullable Object> execute(Work work);

	/**
	 * React to the end. Where others hold a lock, an answer follows that may block: never
	 * on the calling thread, which must perhaps not.
	 */
	static void whenEnded(CompletableFuture<@Nullable Object> locked,
			BiConsumer<@Nullable Object, @Nullable Throwable> reaction) {
		Thread caller = Thread.currentThread();
		locked.whenComplete((value, failure) -> {
			if (failure instanceof LockUnavailableException && Thread.currentThread() == caller) {
				locked.defaultExecutor().execute(() -> reaction.accept(value, failure));
			}
			else {
				reaction.accept(value, failure);
			}
		});
	}

	/** Work that is begun under locks and ends later. */
	@FunctionalInterface
	interface Work {

		/**
		 * Begin it.
		 * @param held its locks, outermost first
		 * @return its end
		 */
		CompletionStage<@Nullable Object> begin(List<LockHandle> held) throws Throwable;

	}

}
