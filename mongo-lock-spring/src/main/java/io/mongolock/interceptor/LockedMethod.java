package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A locked method.
 *
 * @param method the most specific method
 * @param targetClass the class of the object that it is called on
 * @param later the type of its result, if the result is known to end later
 * @param results recognizes results that end later
 * @param variables the variables for its arguments in its expressions
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
	 * Describes the method for readers of a message.
	 */
	@Override
	public String toString() {
		return InvalidLockMethodException.describe(this.method, this.targetClass);
	}

}
