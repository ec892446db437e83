package io.mongolock;

/**
 * The two ways to hold a lock: alone, or together with other holders.
 */
public enum LockMode {

	/**
	 * The lock has one holder at a time, or as many holders as the limit of the request
	 * allows.
	 */
	EXCLUSIVE,

	/**
	 * The lock has any number of shared holders, but not beside an exclusive holder. This
	 * is the read lock of a read/write lock.
	 */
	SHARED

}
