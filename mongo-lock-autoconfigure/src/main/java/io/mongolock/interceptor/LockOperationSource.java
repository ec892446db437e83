package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Knows which methods run under a lock. Thread-safe.
 */
public interface LockOperationSource {

	/**
	 * Whether the class may have such methods at all, judged cheaply.
	 * @return {@code false} if none of its methods can be meant
	 */
	boolean isCandidateClass(Class<?> targetClass);

	/**
	 * What was declared for a method.
	 * @param method the method as it is called, of an interface perhaps
	 * @param targetClass the class of the object it is called on
	 * @return the declaration, or {@code null} if there is none
	 * @throws InvalidLockMethodException if the declaration cannot be understood
	 */
	@Nullable LockOperation getLockOperation(Method method, Class<?> targetClass);

}
