package io.mongolock;

import org.jspecify.annotations.Nullable;

/**
 * Work to do under a lock.
 *
 * @param <T> what it returns
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Do the work.
	 * @param handle the lock that is held meanwhile
	 * @return the result
	 * @throws E whatever the work throws; it reaches the caller unchanged
	 */
	T doWithLock(LockHandle handle) throws E;

}
