package io.mongolock.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import org.springframework.integration.support.locks.DistributedLock;

import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.concurrent.ThreadLock;
import io.mongolock.store.KeyText;

/**
 * A lock that the registry has given out. Immutable: {@link RegistryLocks} knows the
 * holds of threads.
 */
final class RegistryLock implements DistributedLock {

	private final RegistryLocks locks;

	private final LockRequest request;

	RegistryLock(RegistryLocks locks, LockRequest request) {
		this.locks = locks;
		this.request = request;
	}

	@Override
	public void lock() {
		lock(LockSettings.NONE);
	}

	@Override
	public void lock(Duration ttl) {
		lock(settings(ttl));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.locks.acquire(this.request, (lock) -> {
			lock.lockInterruptibly();
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		return this.locks.acquire(this.request, ThreadLock::tryLock);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.locks.acquire(this.request, (lock) -> lock.tryLock(time, unit));
	}

	@Override
	public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
		LockSettings settings = settings(ttl);
		return this.locks.acquire(this.request, (lock) -> lock.tryLock(wait, settings));
	}

	@Override
	public void unlock() {
		try {
			this.locks.release(this.request);
		}
		catch (LockLostException ex) {
			// The exception of all registries of Spring Integration
			throw new ConcurrentModificationException(ex.getMessage(), ex);
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("The " + this + " has no Condition, because a signal would not reach "
				+ "waiters in other JVMs. Wait for a change of the data instead");
	}

	@Override
	public String toString() {
		return "lock '" + KeyText.printable(this.request.key()) + "'";
	}

	private void lock(LockSettings settings) {
		this.locks.acquire(this.request, (lock) -> {
			lock.lock(settings);
			return true;
		});
	}

	private static LockSettings settings(Duration ttl) {
		// A ttl that exceeds the range of a long becomes its nearest number, and is
		// refused as too long or too short
		Duration whole = Duration.ofMillis(TimeUnit.MILLISECONDS.convert(ttl));
		return LockSettings.builder().ttl((whole.compareTo(ttl) < 0) ? whole.plusMillis(1) : whole).build();
	}

}
