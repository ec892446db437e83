package io.mongolock.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockUnavailableException;

/**
 * The locks of a call with known keys, for work that ends later. May be used several
 * times.
 */
@FunctionalInterface
interface LaterLocking {

	/**
	 * Acquire the locks, and release them when the work has ended, as
	 * {@link io.mongolock.LockOperations#executeAsync} does.
	 */
	CompletableFuture<@Nullable Object> execute(Work work);

	/**
	 * React to the end. If another holder has a lock, the reaction may block. So it never
	 * runs on the calling thread then, because that thread perhaps must not block.
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

	/** Work that begins under locks and ends later. */
	@FunctionalInterface
	interface Work {

		/**
		 * Begin the work.
		 * @param held the locks of the work, outermost first
		 * @return the end of the work
		 */
		CompletionStage<@Nullable Object> begin(List<LockHandle> held) throws Throwable;

	}

}
