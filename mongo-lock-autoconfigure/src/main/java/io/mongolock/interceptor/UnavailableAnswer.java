package io.mongolock.interceptor;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockUnavailableException;

/**
 * What the caller of a method gets that is not run, because others hold its lock. Chosen
 * once per method. Thread-safe.
 */
@FunctionalInterface
interface UnavailableAnswer {

	/**
	 * Answer one call, without the lock.
	 * @param ex who holds the lock
	 * @throws Throwable what the caller gets instead
	 */
	@Nullable Object answer(LockedCall call, LockUnavailableException ex) throws Throwable;

}
