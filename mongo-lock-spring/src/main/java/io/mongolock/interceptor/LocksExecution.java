package io.mongolock.interceptor;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

/**
 * Runs a method under the lock of its key, or the locks of its keys.
 *
 * @param requests makes the requests of a call
 * @param locks resolved at a call, not before
 * @param warnings checks each call
 */
record LocksExecution(LockRequests requests, Supplier<LockOperations> locks,
		CallWarnings warnings) implements LockedExecution {

	@Override
	@SuppressWarnings("NullAway") // ignores type arguments: the callback may return null
	public @Nullable Object run(LockedCall call) throws Throwable {
		this.warnings.warnIfBlocking(call);
		List<LockRequest> requests = this.requests.of(call);
		this.warnings.warnIfLate(call, requests);
		call.claim();
		LockOperations locks = this.locks.get();
		return (requests.size() == 1) ? locks.execute(requests.get(0), (handle) -> call.proceed())
				: locks.execute(requests, (innermost) -> call.proceed());
	}

}
