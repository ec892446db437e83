package io.mongolock.interceptor.check;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

/**
 * Recognizes the methods that mongo-lock-aspectj has woven, by the mark that it leaves.
 * Their locks need no proxy.
 */
public final class WovenMethods {

	private static final String MARK = "io.mongolock.aspectj.Woven";

	private WovenMethods() {
	}

	/**
	 * Whether a method is woven.
	 */
	public static boolean contains(Method method) {
		for (Annotation one : method.getDeclaredAnnotations()) {
			if (one.annotationType().getName().equals(MARK)) {
				return true;
			}
		}
		return false;
	}

}
