package io.mongolock.test.proxy;

/**
 * The handling of a connection that a client opens.
 */
enum NewConnections {

	/** It is passed on to the server. */
	PASS,

	/** It is reset at once. */
	REFUSE,

	/** It is accepted and never answered. */
	HALF_OPEN

}
