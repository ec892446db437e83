package io.mongolock.faults.harness.worker;

/**
 * How a worker stands to a key.
 */
public enum LockStatus {

	/** It was not acquired, or was released. */
	NONE,

	/** It is guaranteed held. */
	HELD,

	/** It was acquired, and is no longer guaranteed held. */
	LOST

}
