package io.mongolock.interceptor;

import java.lang.reflect.Method;

/**
 * A method that runs under locks.
 *
 * @param method the most specific method
 * @param targetClass the class of the object it is called on
 * @param results knows results that end later
 */
record LockedMethod(Method method, Class<?> targetClass, LaterResults results) {

	/**
	 * The method for people to read.
	 */
	@Override
	public String toString() {
		return InvalidLockMethodException.describe(this.method, this.targetClass);
	}

}
