package io.mongolock.interceptor.check;

import java.lang.reflect.Method;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.ProxyReach.Obstacle;

/**
 * The treatment of methods that would run without their lock because no proxy intercepts
 * them. A declaration that is wrong in itself is always refused.
 */
public enum LockVerification {

	/**
	 * Refuse the first such method, so that the application does not start.
	 */
	FAIL,

	/**
	 * Log all such methods.
	 */
	WARN,

	/**
	 * Do not look for such methods.
	 */
	OFF;

	private static final Log logger = LogFactory.getLog(LockVerification.class);

	boolean isOn() {
		return this != OFF;
	}

	/**
	 * Report a method if there is an obstacle that keeps a proxy from it.
	 */
	void report(@Nullable Obstacle obstacle, Method method, Class<?> targetClass) {
		if (obstacle != null) {
			report(new InvalidLockMethodException(method, targetClass,
					obstacle.problem() + ", so the method would run without the lock",
					obstacle.action() + ", or use LockOperations inside the method."));
		}
	}

	void report(InvalidLockMethodException certain) {
		if (this == FAIL) {
			throw certain;
		}
		warn(String.valueOf(certain.getMessage()));
	}

	void warn(String message) {
		if (isOn()) {
			logger.warn(message);
		}
	}

}
