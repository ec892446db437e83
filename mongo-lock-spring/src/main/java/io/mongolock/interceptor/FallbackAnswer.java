package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;

import io.mongolock.LockUnavailableException;

/**
 * Answers by calling another method of the same bean.
 *
 * @param fallback the method, which takes the arguments of the call and, if it has one
 * more parameter, the exception
 */
record FallbackAnswer(Method fallback) implements UnavailableAnswer {

	@Override
	public @Nullable Object answer(LockedCall call, LockUnavailableException ex) throws Throwable {
		@Nullable Object[] arguments = call.arguments();
		@Nullable Object[] passed = Arrays.copyOf(arguments, this.fallback.getParameterCount(), Object[].class);
		if (passed.length > arguments.length) {
			passed[arguments.length] = ex;
		}
		return AopUtils.invokeJoinpointUsingReflection(bean(call.target()), this.fallback, passed);
	}

	// Unwraps inner proxies: they have no field values, so a private method called on
	// them would see none
	private @Nullable Object bean(@Nullable Object target) {
		Object inner = (target != null) ? AopProxyUtils.getSingletonTarget(target) : null;
		return (this.fallback.getDeclaringClass().isInstance(inner)) ? bean(inner) : target;
	}

}
