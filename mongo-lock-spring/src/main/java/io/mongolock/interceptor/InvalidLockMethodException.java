package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

import io.mongolock.spi.LockStartupException;

/**
 * A method is declared to run under a lock in a way that cannot work: found at the start,
 * or by the first call that shows it.
 */
public class InvalidLockMethodException extends LockStartupException {

	/**
	 * Create a new exception.
	 * @param problem what is wrong, a clause that follows the method's name
	 */
	public InvalidLockMethodException(Method method, Class<?> targetClass, String problem, String action) {
		this(method, targetClass, problem, action, null);
	}

	/**
	 * Create a new exception.
	 * @param problem what is wrong, a clause that follows the method's name
	 * @param cause what revealed it, if anything
	 */
	public InvalidLockMethodException(Method method, Class<?> targetClass, String problem, String action,
			@Nullable Throwable cause) {
		this("@DistributedLock method " + describe(method, targetClass) + " " + problem, action, cause);
	}

	/**
	 * Create a new exception that is about no single method.
	 * @param problem what is wrong, a sentence without its full stop
	 * @param cause what revealed it, if anything
	 */
	public InvalidLockMethodException(String problem, String action, @Nullable Throwable cause) {
		super(problem + ".", action, cause);
	}

	/**
	 * A method for people to read.
	 */
	public static String describe(Method method, Class<?> targetClass) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		return ClassUtils.getQualifiedMethodName(method, named(method, targetClass)) + "(" + parameters + ")";
	}

	// The name of a JDK proxy says nothing: a repository's stands for the interface
	private static Class<?> named(Method method, Class<?> targetClass) {
		return (!Proxy.isProxyClass(targetClass)) ? ClassUtils.getUserClass(targetClass)
				: Arrays.stream(targetClass.getInterfaces())
					.filter((type) -> method.getDeclaringClass().isAssignableFrom(type))
					.findFirst()
					.orElse(method.getDeclaringClass());
	}

}
