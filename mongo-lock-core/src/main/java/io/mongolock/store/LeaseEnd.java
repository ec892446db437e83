package io.mongolock.store;

/**
 * The end of a lease that the client did not end itself.
 */
public enum LeaseEnd {

	/**
	 * A statement of the application has released it.
	 */
	RELEASED,

	/**
	 * The store has it no longer: it was taken over, released by force or deleted.
	 */
	LOST,

	/**
	 * It is not known whether the transaction that releases it was committed: it is left
	 * to run out.
	 */
	UNKNOWN,

	/**
	 * Another who knows its token goes on with it.
	 */
	PASSED_ON

}
