package io.mongolock.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

/**
 * Runs a method whose result ends later. The locks are held until that end, and no thread
 * waits for them. The keys are evaluated at the call.
 *
 * @param requests makes the requests of a call
 * @param locks resolved at a call, not before
 * @param result runs methods of one type of result
 */
record LaterExecution(LockRequests requests, Supplier<LockOperations> locks,
		LaterResult result) implements LockedExecution {

	@Override
	public Object run(LockedCall call) {
		List<LockRequest> requests = this.requests.of(call);
		return this.result.run((work) -> execute(requests, work), call.again());
	}

	private CompletableFuture<@Nullable Object> execute(List<LockRequest> requests, LaterLocking.Work work) {
		LockOperations locks = this.locks.get();
		return (requests.size() == 1) ? locks.executeAsync(requests.get(0), (handle) -> work.begin(List.of(handle)))
				: locks.executeAsync(requests, (innermost) -> work.begin(held(requests)));
	}

	private static List<LockHandle> held(List<LockRequest> requests) {
		return requests.stream()
			.map((request) -> LockContext.find((handle) -> handle.key().equals(request.key())).orElseThrow())
			.toList();
	}

}
