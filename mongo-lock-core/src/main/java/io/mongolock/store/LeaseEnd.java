package io.mongolock.store;

/**
 * How a lease ended if the client did not end it itself.
 */
public enum LeaseEnd {

	/**
	 * A statement of the application has released it.
	 */
	RELEASED,

	/**
	 * The store no longer has the lease: it was taken over, released by force or deleted.
	 */
	LOST,

	/**
	 * We cannot know whether the transaction that releases the lease was committed, so
	 * the lease is left to run out.
	 */
	UNKNOWN,

	/**
	 * Another holder, which knows the token, goes on with the lease.
	 */
	PASSED_ON

}
