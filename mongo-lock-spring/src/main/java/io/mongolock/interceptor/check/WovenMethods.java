package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Knows the methods that mongo-lock-aspectj has woven, by the mark that it leaves: their
 * locks need no proxy.
 */
public final class WovenMethods {

	private static final String MARK = "io.mongolock.aspectj.Woven";

	private WovenMethods() {
	}

	/**
	 * Whether a method is woven.
	 */
	public static boolean contains(Method method) {
		return Arrays.stream(method.getDeclaredAnnotations())
			.anyMatch((one) -> one.annotationType().getName().equals(MARK));
	}

}
