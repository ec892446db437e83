package io.mongolock.aspectj;

import io.mongolock.LockCallback;
import io.mongolock.LockRequest;
import io.mongolock.interceptor.RecordingLockOperations;

/**
 * Counts what it is asked for, also by those who hold the lock already.
 */
class CountingLockOperations extends RecordingLockOperations {

	private int asked;

	@Override
	public <T, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback) throws E {
		this.asked++;
		return super.execute(request, callback);
	}

	int asked() {
		return this.asked;
	}

}
