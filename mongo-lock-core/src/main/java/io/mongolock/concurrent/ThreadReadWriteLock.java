package io.mongolock.concurrent;

import java.util.concurrent.locks.ReadWriteLock;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;

/**
 * A {@link ReadWriteLock} on {@link LockOperations}. It makes two requests for one key,
 * and the request of the read lock is shared. Thread-safe.
 */
public final class ThreadReadWriteLock implements ReadWriteLock {

	private final ThreadLock read;

	private final ThreadLock write;

	/**
	 * Create a lock.
	 * @param request the request for the lock; its wait timeout does not count
	 * @throws io.mongolock.InvalidLockSettingsException if its settings contradict each
	 * other
	 * @throws IllegalArgumentException if the request says how many callers may hold the
	 * lock
	 */
	public ThreadReadWriteLock(LockOperations operations, ConfiguredSettings configured, LockRequest request) {
		LockRequest reading = reading(request);
		configured.check(reading);
		this.read = new ThreadLock(operations, reading, () -> writeLock().held());
		this.write = new ThreadLock(operations, request, () -> readLock().held());
	}

	/**
	 * The request of the read lock.
	 * @throws IllegalArgumentException if the request says how many callers may hold the
	 * lock
	 */
	private static LockRequest reading(LockRequest request) {
		if (request.settings().limit() != null) {
			throw new IllegalArgumentException(
					"A read/write lock sets 'limit' and 'shared' by itself. Leave both of these settings out of the "
							+ "request");
		}
		return request.with(LockSettings.builder().limit(LockRequest.UNLIMITED).build());
	}

	@Override
	public ThreadLock readLock() {
		return this.read;
	}

	@Override
	public ThreadLock writeLock() {
		return this.write;
	}

	@Override
	public String toString() {
		return "reading: " + this.read + ", writing: " + this.write;
	}

}
