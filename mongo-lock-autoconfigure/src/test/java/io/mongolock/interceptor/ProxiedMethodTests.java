package io.mongolock.interceptor;

import org.springframework.context.ApplicationContext;

/**
 * Tests for annotated methods of beans, which a proxy locks.
 */
class ProxiedMethodTests extends LockedMethodContract {

	@Override
	protected Class<?>[] configurations() {
		return new Class<?>[0];
	}

	@Override
	protected Payments payments(ApplicationContext context) {
		return context.getBean(Service.class);
	}

}
