package io.mongolock;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs under a lock.
 *
 * @param <T> what the work returns
 * @param <E> what the work may throw
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Do the work.
	 * @param handle the lock, which is held during the work
	 * @return the result
	 * @throws E any exception of the work, which reaches the caller unchanged
	 */
	T doWithLock(LockHandle handle) throws E;

}
