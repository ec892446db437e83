package io.mongolock.client;

/**
 * How the hold of a lock ended.
 */
enum ReleaseOutcome {

	/**
	 * Held until the release.
	 */
	RELEASED,

	/**
	 * Run out before, but granted to nobody else until the release.
	 */
	OVERRAN,

	/**
	 * Gone before the release, or nobody knows; another may have held the lock meanwhile.
	 */
	LOST

}
