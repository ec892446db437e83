package io.mongolock.store.mongo;

/**
 * Whether a store listens for released locks.
 */
public enum Notifications {

	/** By a change stream, if the server offers one that is fast enough. */
	AUTO,

	/** Not at all: waiters look at the lock at their interval. */
	OFF

}
