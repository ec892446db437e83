package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

/**
 * Knows which methods run under a lock. Thread-safe.
 */
public interface LockOperationSource {

	/**
	 * A cheap check whether a class may have locked methods.
	 * @return {@code false} if the class certainly has no such method
	 */
	boolean isCandidateClass(Class<?> targetClass);

	/**
	 * The declared locks of a method.
	 * @param method the method as it is called, perhaps of an interface
	 * @param targetClass the class of the object that it is called on
	 * @return the locks, all of which the method runs under; empty if there are none
	 * @throws InvalidLockMethodException if the declaration cannot be understood
	 */
	List<LockOperation> getLockOperations(Method method, Class<?> targetClass);

}
