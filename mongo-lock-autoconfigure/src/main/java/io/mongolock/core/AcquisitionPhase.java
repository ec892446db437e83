package io.mongolock.core;

/**
 * Where an acquisition stands.
 */
enum AcquisitionPhase {

	/** In the queue of this JVM. */
	QUEUED,

	/** About to ask, or asking. */
	ASKING,

	/** Likewise for the last time, without taking a place. */
	LAST,

	/** Until the claim is retried after a failure. */
	PAUSING,

	/** In the queue of the store. */
	STANDING,

	/** In the queue, and about to ask as its place says so. */
	CALLED,

	/** About to hold what was handed over. */
	HANDED,

	OVER

}
