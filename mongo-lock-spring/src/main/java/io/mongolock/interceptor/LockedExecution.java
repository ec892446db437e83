package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * A way to run a method under its locks. Chosen once per method. Thread-safe.
 */
@FunctionalInterface
interface LockedExecution {

	/**
	 * Run one call.
	 * @return the result for the caller
	 * @throws Throwable the exception of the method, or the reason why it was not run
	 */
	@Nullable Object run(LockedCall call) throws Throwable;

}
