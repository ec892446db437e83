package io.mongolock.core;

/**
 * How the hold of a lock ended.
 */
public enum ReleaseOutcome {

	/**
	 * Held until the release.
	 */
	RELEASED,

	/**
	 * Run out before, but granted to nobody else until the release.
	 */
	EXPIRED_UNCONTESTED,

	/**
	 * Held until now, and not released: the lease runs out by itself.
	 */
	LEFT_TO_EXPIRE,

	/**
	 * Gone before the release, or its outcome is unknown; another may have held the lock
	 * meanwhile.
	 */
	LOST

}
