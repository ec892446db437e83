package io.mongolock.application;

import io.mongolock.annotation.DistributedLock;

/**
 * Stands for a class of another package that an application extends.
 */
public abstract class Base {

	@DistributedLock("a")
	void run() {
	}

}
