package io.mongolock.test;

import io.mongolock.store.LockStore;

/**
 * Asserts which locks are held and which are free, as the store sees them. With
 * {@link io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest} a bean; on a real
 * server made of the application's {@link LockStore} bean. Thread-safe.
 */
public final class LockAssertions {

	private final LockStore store;

	/**
	 * Create new assertions.
	 * @param store what is looked at
	 */
	public LockAssertions(LockStore store) {
		this.store = store;
	}

	/**
	 * Begin an assertion about a lock.
	 * @param key the key, for example {@code order:42} for the name {@code order} and the
	 * key {@code 42}
	 * @return the assertion; it looks at the lock anew each time
	 */
	public LockAssert assertThatLock(String key) {
		return new LockAssert(key, this.store);
	}

}
