package io.mongolock.interceptor.check;

import org.springframework.beans.factory.BeanFactory;

import io.mongolock.LockUnavailableHandler;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;

/**
 * Finds names of handlers that no bean answers to.
 */
class LockHandlerCheck {

	private final BeanFactory beans;

	LockHandlerCheck(BeanFactory beans) {
		this.beans = beans;
	}

	void check(LockOperation operation, Class<?> targetClass) {
		String name = operation.unavailableHandler();
		if (name == null
				|| (this.beans.containsBean(name) && this.beans.isTypeMatch(name, LockUnavailableHandler.class))) {
			return;
		}
		throw new InvalidLockMethodException(operation.method(), targetClass,
				"has the unavailableHandler '" + name + "', "
						+ ((this.beans.containsBean(name)) ? "which is no LockUnavailableHandler"
								: "and there is no such bean"),
				"Write the name of a bean that is a LockUnavailableHandler, as the attribute or, for all methods that say "
						+ "nothing else, as the property mongo-lock.unavailable-handler.");
	}

}
