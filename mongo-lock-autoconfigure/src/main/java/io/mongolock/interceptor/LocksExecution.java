package io.mongolock.interceptor;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

/**
 * Runs a method under the lock of its key, or those of its keys.
 *
 * @param requests makes the requests of a call
 * @param locks asked for at a call, not before
 * @param late asked if there is a transaction already
 * @param threads those that must not wait
 */
record LocksExecution(LockRequests requests, Supplier<LockOperations> locks, LateLocks late,
		NonBlockingThreads threads) implements LockedExecution {

	@Override
	@SuppressWarnings("NullAway") // sees no type arguments: the callback may return null
	public @Nullable Object run(LockedCall call) throws Throwable {
		this.threads.warnIfOnOne(call.method(), call.targetClass());
		List<LockRequest> requests = this.requests.of(call);
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			this.late.warnIfLate(call, requests);
		}
		call.claim();
		return (requests.size() == 1) ? this.locks.get().execute(requests.get(0), (handle) -> call.proceed())
				: new SeveralLocks(requests, this.requests.waits(), this.locks.get()).run(call);
	}

}
