package io.mongolock.interceptor;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;

/**
 * Work that is begun under locks and ends later.
 */
@FunctionalInterface
interface LockedWork {

	/**
	 * Begin it.
	 * @param held its locks, outermost first
	 * @return its end
	 */
	CompletionStage<@Nullable Object> begin(List<LockHandle> held) throws Throwable;

}
