package io.mongolock.aspectj;

import org.springframework.context.ApplicationContext;

import io.mongolock.interceptor.LockedMethodContract;

/**
 * Tests for woven methods of an object that is no bean.
 */
class WovenObjectTests extends LockedMethodContract {

	@Override
	protected Class<?>[] configurations() {
		return new Class<?>[] { LockAspectAutoConfiguration.class };
	}

	@Override
	protected Payments payments(ApplicationContext context) {
		return new Service();
	}

}
