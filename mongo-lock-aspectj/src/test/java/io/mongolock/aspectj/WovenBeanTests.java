package io.mongolock.aspectj;

import org.springframework.context.ApplicationContext;

import io.mongolock.interceptor.LockedMethodContract;

/**
 * Tests for woven methods of beans, which have their proxies all the same.
 */
class WovenBeanTests extends LockedMethodContract {

	@Override
	protected Class<?>[] configurations() {
		return new Class<?>[] { LockAspectAutoConfiguration.class };
	}

	@Override
	protected Payments payments(ApplicationContext context) {
		return context.getBean(Service.class);
	}

}
