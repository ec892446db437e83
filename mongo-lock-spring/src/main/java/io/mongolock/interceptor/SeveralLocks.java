package io.mongolock.interceptor;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;

/**
 * Runs one call under all of its locks or not at all: each lock is asked for while those
 * before it are held, and released before them. Used by one thread.
 */
final class SeveralLocks {

	private final List<LockRequest> requests;

	private final WaitBudget waits;

	private final LockOperations locks;

	/** Outermost first. */
	private final List<LockHandle> held = new ArrayList<>();

	/**
	 * Create for one call.
	 * @param requests sorted, with distinct keys
	 */
	SeveralLocks(List<LockRequest> requests, WaitBudget waits, LockOperations locks) {
		this.requests = requests;
		this.waits = waits;
		this.locks = locks;
	}

	@SuppressWarnings("NullAway") // sees no type arguments: the callback may return null
	@Nullable Object run(LockedCall call) throws Throwable {
		int next = this.held.size();
		if (next == this.requests.size()) {
			// the first may have been lost while the last was waited for
			this.held.forEach(LockHandle::assertHeld);
			return call.proceed();
		}
		try {
			return this.locks.execute(this.waits.left(this.requests.get(next)), (handle) -> {
				this.held.add(handle);
				return run(call);
			});
		}
		catch (LockUnavailableException ex) {
			if (call.isClaiming()) {
				refuseIfLost(this.held.subList(0, next), ex);
			}
			throw ex;
		}
	}

	// A loss may have interrupted the wait, which is then no answer about the other lock
	static void refuseIfLost(List<LockHandle> held, LockUnavailableException unavailable) {
		try {
			held.forEach(LockHandle::assertHeld);
		}
		catch (LockLostException ex) {
			ex.addSuppressed(unavailable);
			throw ex;
		}
	}

}
