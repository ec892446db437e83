package io.mongolock.aspectj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * A woven call in the form that interceptors expect. Used by one thread at a time.
 */
final class JoinPointInvocation implements MethodInvocation {

	private final ProceedingJoinPoint joinPoint;

	private final @Nullable Object[] arguments;

	JoinPointInvocation(ProceedingJoinPoint joinPoint) {
		this.joinPoint = joinPoint;
		this.arguments = joinPoint.getArgs();
	}

	@Override
	public Method getMethod() {
		return ((MethodSignature) this.joinPoint.getSignature()).getMethod();
	}

	/**
	 * The arguments, which may be changed in place.
	 */
	@Override
	public @Nullable Object[] getArguments() {
		return this.arguments;
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		return this.joinPoint.proceed(this.arguments);
	}

	@Override
	public @Nullable Object getThis() {
		return this.joinPoint.getThis();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return getMethod();
	}

}
