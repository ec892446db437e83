package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * A way to run a method under its locks. Chosen once per method. Thread-safe.
 */
@FunctionalInterface
interface LockedExecution {

	/**
	 * Run one call.
	 * @return what the caller gets
	 * @throws Throwable what the method threw, or why it was not run
	 */
	@Nullable Object run(LockedCall call) throws Throwable;

}
