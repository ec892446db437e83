package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A method that runs under locks.
 *
 * @param method the most specific method
 * @param targetClass the class of the object it is called on
 * @param later the type of its result, if that is known to end later
 * @param results knows results that end later
 * @param variables what its expressions call its arguments
 */
record LockedMethod(Method method, Class<?> targetClass, @Nullable LaterType later, AsyncResultDetector results,
		LockKeyVariables variables) {

	static LockedMethod of(Method method, Class<?> targetClass, AsyncResultDetector results) {
		return new LockedMethod(method, targetClass, LaterType.of(method, targetClass), results,
				LockKeyVariables.of(method));
	}

	/**
	 * Whether the method declares a result that ends later, for which no thread waits.
	 */
	boolean endsLater() {
		return this.later != null;
	}

	/**
	 * The method for people to read.
	 */
	@Override
	public String toString() {
		return InvalidLockMethodException.describe(this.method, this.targetClass);
	}

}
