package io.mongolock.integration;

import java.time.Duration;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

/**
 * A lock registry for Spring Integration on {@link LockOperations}. Thread-safe.
 * <p>
 * The lock of a key is the lock of {@link LockRequest#of(String, Object)}. Its key
 * consists of the registry's name, a colon and the text of the given key, and the
 * settings of that name apply. So registries with the same name exclude each other in all
 * instances. They and {@code @DistributedLock} with that name exclude each other, too.
 * <p>
 * A lock belongs to the thread that locked it. This thread may lock it again, and must
 * unlock it as often. The lock is renewed as long as it is held. If it is lost
 * nevertheless, {@link #held(Object)} and {@link io.mongolock.LockListener} report this
 * at once, and {@code unlock()} throws {@link java.util.ConcurrentModificationException}.
 */
public final class MongoLockRegistry
		implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

	/**
	 * The name of the auto-configured registry.
	 */
	public static final String NAME = "integration";

	/**
	 * The number of locks that are kept, unless more are in use.
	 */
	static final int CAPACITY = 10_000;

	private final RegistryLocks locks;

	private final String name;

	/**
	 * Create a registry.
	 * @param locks grants the locks
	 * @param name the name for the settings and metrics of its locks, for example
	 * {@code order}
	 */
	public MongoLockRegistry(LockOperations locks, String name) {
		this(locks, name, LockClock.system(), CAPACITY);
	}

	MongoLockRegistry(LockOperations locks, String name, LockClock clock, int capacity) {
		this.locks = new RegistryLocks(locks, clock, capacity);
		this.name = name;
	}

	/**
	 * Find the lock of a key, without locking it.
	 * @param lockKey text, a number, an enum, a UUID or another value that
	 * {@link LockRequest#of(String, Object)} takes
	 * @return the lock; the same object for an equal key, unless it was unused for a long
	 * time
	 * @throws IllegalArgumentException if the key is blank, too long or a value without
	 * its own text
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return this.locks.obtain(request(lockKey));
	}

	/**
	 * Find the handle of the lock that the current thread holds for a key, with the fence
	 * of the grant. The handle ends with the unlock.
	 * @param lockKey the key
	 * @return the handle, which must not be closed
	 * @throws IllegalStateException if the current thread does not hold the lock
	 */
	public LockHandle held(Object lockKey) {
		return this.locks.held(request(lockKey));
	}

	/**
	 * Renew a lock now. There is no need to, because a lock is renewed as long as it is
	 * held. The call sends one request, and shows whether the lock is still held.
	 * @param lockKey the key
	 * @throws IllegalStateException if the current thread does not hold the lock, or has
	 * lost it
	 * @throws io.mongolock.LockStoreException if the store could not be asked; the lock
	 * is then held for as long as before
	 */
	@Override
	public void renewLock(Object lockKey) {
		LockHandle held = held(lockKey);
		try {
			held.renew();
		}
		catch (LockLostException ex) {
			throw new IllegalStateException(ex.getMessage(), ex);
		}
	}

	/**
	 * Renew a lock as {@link #renewLock(Object)} does. The given ttl is ignored: the lock
	 * is held until it is unlocked. The ttl that it was locked with is the time for which
	 * others wait after this process has died.
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		renewLock(lockKey);
	}

	/**
	 * Forget locks that no thread holds or waits for and that were last used long ago. A
	 * lock object that a caller still has works as before.
	 * @param age the time since the last use, in milliseconds
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
		this.locks.expireUnusedOlderThan(age);
	}

	@Override
	public String toString() {
		return "lock registry '" + this.name + "'";
	}

	/**
	 * The number of locks that are kept.
	 */
	int size() {
		return this.locks.size();
	}

	// Always renewed: with Spring Integration, others wait for a lock until the work is
	// done, however long that takes
	private LockRequest request(Object lockKey) {
		return LockRequest.builder(this.name, lockKey).autoRenew(true).build();
	}

}
