package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

import io.mongolock.spi.LockStartupException;

/**
 * The declaration of a locked method cannot work. Thrown at startup, or by the first call
 * that shows the problem.
 */
public class InvalidLockMethodException extends LockStartupException {

	/**
	 * Create a new exception.
	 * @param problem the problem, a clause that follows the method's name
	 */
	public InvalidLockMethodException(Method method, Class<?> targetClass, String problem, String action) {
		this(method, targetClass, problem, action, null);
	}

	/**
	 * Create a new exception.
	 * @param problem the problem, a clause that follows the method's name
	 * @param cause the exception that revealed it, if any
	 */
	public InvalidLockMethodException(Method method, Class<?> targetClass, String problem, String action,
			@Nullable Throwable cause) {
		this("@DistributedLock method " + describe(method, targetClass) + " " + problem, action, cause);
	}

	/**
	 * Create a new exception that does not concern a single method.
	 * @param problem the problem, a sentence without its full stop
	 * @param cause the exception that revealed it, if any
	 */
	public InvalidLockMethodException(String problem, String action, @Nullable Throwable cause) {
		super(problem + ".", action, cause);
	}

	/**
	 * Describes a method for readers of a message.
	 */
	public static String describe(Method method, Class<?> targetClass) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		return ClassUtils.getQualifiedMethodName(method, named(method, targetClass)) + "(" + parameters + ")";
	}

	// The name of a JDK proxy tells nothing, so a repository is named by its interface
	private static Class<?> named(Method method, Class<?> targetClass) {
		return (!Proxy.isProxyClass(targetClass)) ? ClassUtils.getUserClass(targetClass)
				: Arrays.stream(targetClass.getInterfaces())
					.filter((type) -> method.getDeclaringClass().isAssignableFrom(type))
					.findFirst()
					.orElse(method.getDeclaringClass());
	}

}
