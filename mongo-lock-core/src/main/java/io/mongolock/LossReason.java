package io.mongolock;

/**
 * The ways to lose a lease.
 */
public enum LossReason {

	/**
	 * No renewal was confirmed in time: the store could not be reached, the process stood
	 * still, or the lease is not renewed and the work took longer than its ttl.
	 */
	DEADLINE,

	/**
	 * The store answered that the lease is gone: it was taken over, released by force or
	 * deleted.
	 */
	REFUSED,

	/**
	 * The client was stopped while the lock was held. Others are granted it when its
	 * margin is over, 6 s later at most.
	 */
	SHUTDOWN

}
