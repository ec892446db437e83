package io.mongolock.client;

/**
 * What to do about a handle that was garbage-collected without being closed, whose lock
 * would otherwise be renewed until the application stops.
 */
public enum LeakDetection {

	/**
	 * Nothing.
	 */
	OFF,

	/**
	 * Say once per place in the code where such handles are acquired.
	 */
	WARN,

	/**
	 * Say so, and release the lock.
	 */
	RELEASE

}
