package io.mongolock.aspectj;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * Knows of each thread the call that a proxy has just let through, the lock taken. Stands
 * innermost of all advice, so that nothing comes between it and the method. Thread-safe.
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
	 * Whether a woven method begins because a proxy has let it through. It does so once:
	 * a call that it makes itself is another.
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
