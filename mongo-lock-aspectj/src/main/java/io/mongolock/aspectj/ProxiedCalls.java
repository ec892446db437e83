package io.mongolock.aspectj;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * Knows for each thread the call that a proxy has just passed on under its lock. This is
 * the innermost advice, so that no other code comes between it and the method.
 * Thread-safe.
 */
class ProxiedCalls implements MethodInterceptor {

	private final ThreadLocal<@Nullable MethodInvocation> current = new ThreadLocal<>();

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		MethodInvocation outer = this.current.get();
		this.current.set(invocation);
		try {
			return invocation.proceed();
		}
		finally {
			set(outer);
		}
	}

	/**
	 * Whether a woven method begins because a proxy has passed the call on. This is true
	 * only once for each such call, because a call by the method itself is a different
	 * call.
	 */
	boolean begin(MethodInvocation woven) {
		MethodInvocation let = this.current.get();
		if (let == null || let.getThis() != woven.getThis() || !method(let).equals(method(woven))) {
			return false;
		}
		this.current.remove();
		return true;
	}

	private void set(@Nullable MethodInvocation outer) {
		if (outer != null) {
			this.current.set(outer);
		}
		else {
			this.current.remove();
		}
	}

	private static Method method(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return AopUtils.getMostSpecificMethod(invocation.getMethod(), (target != null) ? target.getClass() : null);
	}

}
