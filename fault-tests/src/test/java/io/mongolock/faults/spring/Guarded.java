package io.mongolock.faults.spring;

import io.mongolock.LockContext;
import io.mongolock.annotation.DistributedLock;

/**
 * Runs whatever it is given under a lock.
 */
class Guarded {

	static String key(Object id) {
		return "guarded:" + id;
	}

	@DistributedLock(name = "guarded", key = "#id")
	String run(Object id, Runnable work) {
		String key = LockContext.current().key();
		work.run();
		return key;
	}

	@DistributedLock(name = "guarded", key = "#id", waitTimeout = "60s")
	void runAfterWaiting(Object id, Runnable work) {
		work.run();
	}

}
