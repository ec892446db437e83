package io.mongolock;

/**
 * The two ways to want a lock: alone, or together with others.
 */
public enum LockMode {

	/**
	 * As many holders as the request's limit says: one, unless it is a semaphore.
	 */
	EXCLUSIVE,

	/**
	 * Any number of holders, but none beside an exclusive one: the reading side of a
	 * read/write lock.
	 */
	SHARED

}
