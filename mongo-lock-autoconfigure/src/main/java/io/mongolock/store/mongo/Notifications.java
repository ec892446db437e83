package io.mongolock.store.mongo;

/**
 * Whether a store listens for released locks.
 */
public enum Notifications {

	/** By a change stream, where the server offers one that is soon enough. */
	AUTO,

	/** Not at all: whoever waits looks at the lock at his interval. */
	OFF

}
