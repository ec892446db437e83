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
 * The lock registry of Spring Integration on {@link LockOperations}. Thread-safe.
 * <p>
 * The lock of a key is the one of {@link LockRequest#of(String, Object)}: its key is the
 * registry's name, a colon and the text of the key, and the settings of that name apply.
 * So registries of one name exclude each other, in whatever instance, as does
 * {@code @DistributedLock} with that name.
 * <p>
 * A lock belongs to the thread that locked it, which may lock it again and unlocks it as
 * often. It is renewed for as long as it is held. If it is lost nevertheless,
 * {@link #held(Object)} and {@link io.mongolock.LockListener} say so at once, and
 * {@code unlock()} throws {@link java.util.ConcurrentModificationException}.
 */
public final class MongoLockRegistry
		implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

	/**
	 * The name of the registry that is set up by itself.
	 */
	public static final String NAME = "integration";

	/**
	 * How many locks are kept for their next use; those in use come on top.
	 */
	static final int CAPACITY = 10_000;

	private final RegistryLocks locks;

	private final String name;

	/**
	 * Create a registry.
	 * @param locks what grants the locks
	 * @param name groups settings and metrics of its locks, for example {@code order}
	 */
	public MongoLockRegistry(LockOperations locks, String name) {
		this(locks, name, LockClock.system(), CAPACITY);
	}

	MongoLockRegistry(LockOperations locks, String name, LockClock clock, int capacity) {
		this.locks = new RegistryLocks(locks, clock, capacity);
		this.name = name;
	}

	/**
	 * The lock of a key, not locked by this.
	 * @param lockKey text, a number, an enum, a UUID or another value that
	 * {@link LockRequest#of(String, Object)} takes
	 * @return the same lock for an equal key, unless it was left unused for long
	 * @throws IllegalArgumentException if the key is blank, too long or a value without a
	 * text of its own
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return this.locks.obtain(request(lockKey));
	}

	/**
	 * What the current thread holds of a key, with the fence of the grant. It ends with
	 * the unlock.
	 * @param lockKey the key
	 * @return the handle, which is not to be closed
	 * @throws IllegalStateException if the current thread does not hold the lock
	 */
	public LockHandle held(Object lockKey) {
		return this.locks.held(request(lockKey));
	}

	/**
	 * Renew a lock now. There is no need: it is renewed for as long as it is held. It is
	 * one request, and says whether the lock is still held.
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
	 * As {@link #renewLock(Object)}. The time does not count: the lock is held until it
	 * is unlocked, and the ttl that it was locked with says how long others wait after
	 * this process has died.
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		renewLock(lockKey);
	}

	/**
	 * Forget locks that no thread holds or waits for and that were last used long ago.
	 * They work as before if somebody still has them.
	 * @param age how long ago, in milliseconds
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
	 * How many locks are kept.
	 */
	int size() {
		return this.locks.size();
	}

	// Others of Spring Integration wait for their lock until the work is done, however
	// long that takes
	private LockRequest request(Object lockKey) {
		return LockRequest.builder(this.name, lockKey).autoRenew(true).build();
	}

}
