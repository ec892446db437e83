package io.mongolock.test;

import io.mongolock.store.LockStore;

/**
 * Asserts which locks are held and which are free in the store. With
 * {@link io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest}, it is a bean. On a
 * real server, create it from the application's {@link LockStore} bean. Thread-safe.
 */
public final class LockAssertions {

	private final LockStore store;

	/**
	 * Create new assertions.
	 * @param store the store to look at
	 */
	public LockAssertions(LockStore store) {
		this.store = store;
	}

	/**
	 * Begin an assertion about a lock.
	 * @param key the key, for example {@code order:42} for the name {@code order} and the
	 * key {@code 42}
	 * @return the assertion; each of its methods looks at the lock again
	 */
	public LockAssert assertThatLock(String key) {
		return new LockAssert(key, this.store);
	}

}
