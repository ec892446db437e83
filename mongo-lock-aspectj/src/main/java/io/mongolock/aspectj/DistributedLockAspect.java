package io.mongolock.aspectj;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * Runs woven methods under their declared locks, by the same interceptor as the proxy of
 * a bean. The interceptor of a bean comes from the bean's application context. For other
 * objects it comes from the most recently started context that is not stopped, or else
 * from a stopped context that is not closed. A call that a proxy has already locked is
 * not locked again. Thread-safe.
 */
@Aspect
@DeclarePrecedence("io.mongolock.aspectj.DistributedLockAspect, org.springframework.transaction.aspectj.*")
public class DistributedLockAspect {

	private final OpenContexts contexts = new OpenContexts();

	private final ProxiedCalls proxied = new ProxiedCalls();

	/**
	 * Run a method under its lock. Only woven code calls this.
	 * @return the result of the method
	 * @throws IllegalStateException if no application context with locks is open, or if
	 * the bean's context is closed; the method is not run
	 * @throws Throwable the exception of the method
	 */
	@Around("execution(@io.mongolock.aspectj.Woven * *(..))")
	public @Nullable Object runUnderItsLock(ProceedingJoinPoint joinPoint) throws Throwable {
		MethodInvocation invocation = new JoinPointInvocation(joinPoint);
		return (this.proxied.begin(invocation)) ? invocation.proceed()
				: this.contexts.find(invocation).invoke(invocation);
	}

	ProxiedCalls proxied() {
		return this.proxied;
	}

	OpenContexts contexts() {
		return this.contexts;
	}

}
