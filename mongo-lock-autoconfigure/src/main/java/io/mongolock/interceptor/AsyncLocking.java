package io.mongolock.interceptor;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The locks of a call whose keys are known, for work that ends later. May be used several
 * times.
 */
@FunctionalInterface
interface AsyncLocking {

	/**
	 * Acquire them, and release them when the work has ended, as
	 * {@link io.mongolock.LockOperations#executeAsync} does.
	 */
	CompletableFuture<@Nullable Object> execute(LockedWork work);

}
