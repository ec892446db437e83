package io.mongolock.interceptor;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

/**
 * Runs an {@code @Async} method. If the {@code @Async} advice is outside of the lock, the
 * method runs on a thread that may wait: for the lock, and for the stage that the method
 * returns.
 *
 * @param lock the advice that locks
 * @param waiting how the method runs on such a thread
 * @param otherwise how the method runs if the caller must not wait
 */
record AsyncMethodExecution(Advice lock, LockedExecution waiting,
		LockedExecution otherwise) implements LockedExecution {

	@Override
	public @Nullable Object run(LockedCall call) throws Throwable {
		return (call.isOnAsyncThread(this.lock)) ? this.waiting.run(call.toItsEnd()) : this.otherwise.run(call);
	}

}
