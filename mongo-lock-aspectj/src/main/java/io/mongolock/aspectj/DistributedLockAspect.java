package io.mongolock.aspectj;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * Runs woven methods under the locks that were declared for them, as the proxy of a bean
 * does and by the same interceptor: that of the application context that was opened last
 * of those that are open. What a proxy has locked already is not locked again.
 * Thread-safe.
 */
@Aspect
@DeclarePrecedence("io.mongolock.aspectj.DistributedLockAspect, org.springframework.transaction.aspectj.*")
public class DistributedLockAspect {

	private final List<LockedContext> open = new CopyOnWriteArrayList<>();

	private final ProxiedCalls proxied = new ProxiedCalls();

	/**
	 * Run a method under its lock. Called by woven code alone.
	 * @return what it returned
	 * @throws IllegalStateException if no application context is open whose locks could
	 * be taken; the method is not run
	 * @throws Throwable what it threw
	 */
	@Around("execution(@io.mongolock.aspectj.Woven * *(..))")
	public @Nullable Object runUnderItsLock(ProceedingJoinPoint joinPoint) throws Throwable {
		MethodInvocation invocation = new JoinPointInvocation(joinPoint);
		return (this.proxied.begin(invocation)) ? invocation.proceed() : context(invocation).invoke(invocation);
	}

	private LockedContext context(MethodInvocation invocation) {
		List<LockedContext> contexts = List.copyOf(this.open);
		if (contexts.isEmpty()) {
			throw new IllegalStateException("Not run: " + invocation.getMethod()
					+ " is woven to run under its lock, and no application context with mongo-lock is open. Call it "
					+ "after the context has begun to start and before it is closed; where no locks are wanted, for "
					+ "example in a test, open one with mongo-lock.enabled=false");
		}
		return contexts.get(contexts.size() - 1);
	}

	ProxiedCalls proxied() {
		return this.proxied;
	}

	void open(LockedContext context) {
		this.open.add(context);
	}

	void close(LockedContext context) {
		this.open.remove(context);
	}

}
