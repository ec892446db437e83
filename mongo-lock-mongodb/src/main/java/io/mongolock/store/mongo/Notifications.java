package io.mongolock.store.mongo;

/**
 * The choice whether a store listens for released locks.
 */
public enum Notifications {

	/** By a change stream, where the server offers one that is soon enough. */
	AUTO,

	/** Not at all: those who wait look at the lock at their interval. */
	OFF

}
