package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * {@code #root} in the expression of a key.
 *
 * @param method the most specific method
 * @param methodName the name of the method
 * @param args the arguments
 * @param target the bean behind the proxy
 * @param targetClass the class of the bean
 */
record LockKeyRoot(Method method, String methodName, @Nullable Object[] args, @Nullable Object target,
		Class<?> targetClass) {

}
