package io.mongolock;

/**
 * The ways in which a holder loses its lock.
 */
public enum LossReason {

	/**
	 * No renewal was confirmed in time. Either the store could not be reached, or the
	 * process stood still, or the lease is not renewed and the work took longer than the
	 * ttl.
	 */
	DEADLINE,

	/**
	 * The store answered that the lease is gone, because it was taken over, released by
	 * force or deleted.
	 */
	REFUSED,

	/**
	 * The client was stopped while the lock was held. Other callers get the lock when its
	 * margin is over, which takes 6 s at most.
	 */
	SHUTDOWN

}
