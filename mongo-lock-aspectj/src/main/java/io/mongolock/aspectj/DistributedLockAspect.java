package io.mongolock.aspectj;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * Runs woven methods under the locks that were declared for them, as the proxy of a bean
 * does and by the same interceptor. For a bean it comes from its application context; for
 * other objects from the context that was opened last. What a proxy has locked already is
 * not locked again. Thread-safe.
 */
@Aspect
@DeclarePrecedence("io.mongolock.aspectj.DistributedLockAspect, org.springframework.transaction.aspectj.*")
public class DistributedLockAspect {

	private final OpenContexts contexts = new OpenContexts();

	private final ProxiedCalls proxied = new ProxiedCalls();

	/**
	 * Run a method under its lock. Called by woven code alone.
	 * @return what it returned
	 * @throws IllegalStateException if no application context is open whose locks could
	 * be taken, or the bean's is closed; the method is not run
	 * @throws Throwable what it threw
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
