package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

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
	 * @return the locks it runs under, all of them together; empty if there is none
	 * @throws InvalidLockMethodException if the declaration cannot be understood
	 */
	List<LockOperation> getLockOperations(Method method, Class<?> targetClass);

}
