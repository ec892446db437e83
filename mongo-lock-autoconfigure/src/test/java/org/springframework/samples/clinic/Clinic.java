package org.springframework.samples.clinic;

import io.mongolock.LockContext;
import io.mongolock.annotation.DistributedLock;

/**
 * Stands for an application whose packages begin as the framework's do.
 */
public class Clinic {

	/**
	 * Take the next visitor.
	 */
	@DistributedLock("visit")
	public String visit() {
		return LockContext.current().key();
	}

}
