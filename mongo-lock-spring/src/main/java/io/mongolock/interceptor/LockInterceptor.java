package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockOperations;

/**
 * Runs methods under their declared locks. The result or exception of a method reaches
 * the caller unchanged.
 */
public final class LockInterceptor implements MethodInterceptor {

	private final LockOperationSource source;

	/** Created at the first call, because a start does not need it. */
	private final SingletonSupplier<LockedExecutions> executions;

	private final AsyncResultDetector laterResults = new AsyncResultDetector();

	private final Map<MethodClassKey, Plan> plans = new ConcurrentHashMap<>(64);

	/**
	 * Create a new interceptor.
	 * @param operations resolved at the first call, not before, because proxies are made
	 * long before the store exists
	 * @param beanFactory has the beans to which keys, conditions and declarations refer,
	 * the bean that locks documents, if any, and the client's settings and clock
	 */
	public LockInterceptor(LockOperationSource source, ObjectFactory<LockOperations> operations,
			BeanFactory beanFactory) {
		this(source, operations, beanFactory, () -> false);
	}

	/**
	 * Create a new interceptor that warns of locks that are taken too late.
	 * @param operations resolved at the first call, not before, because proxies are made
	 * long before the store exists
	 * @param beanFactory has the beans to which keys, conditions and declarations refer,
	 * the bean that locks documents, if any, and the client's settings and clock
	 * @param hasSnapshot whether the transaction of this thread reads from a snapshot
	 * that was taken before; called only inside transactions
	 */
	public LockInterceptor(LockOperationSource source, ObjectFactory<LockOperations> operations,
			BeanFactory beanFactory, BooleanSupplier hasSnapshot) {
		this.source = source;
		this.executions = SingletonSupplier.of(() -> new LockedExecutions(this, operations, beanFactory, hasSnapshot));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		// Use the same class as the pointcut. The target of a repository is a proxy,
		// and that proxy's own target does not implement the interface
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		Plan plan = plan(invocation.getMethod(), targetClass);
		return plan.execution().run(new LockedCall(plan.method(), invocation));
	}

	private Plan plan(Method called, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(called, targetClass);
		Plan known = this.plans.get(key);
		if (known == null) {
			known = decide(called, targetClass);
			this.plans.put(key, known);
		}
		return known;
	}

	private Plan decide(Method called, Class<?> targetClass) {
		List<LockOperation> locks = this.source.getLockOperations(called, targetClass);
		if (locks.isEmpty()) {
			throw new IllegalStateException(InvalidLockMethodException.describe(called, targetClass)
					+ " was not run, because it should run under a lock, but no lock is declared for it. Either the "
					+ "LockOperationSource no longer gives the answer that it gave when the proxy was made, or the "
					+ "advice was added without its advisor");
		}
		LockedMethod method = LockedMethod.of(locks.get(0).method(), targetClass, this.laterResults);
		return new Plan(method, this.executions.obtain().of(method, locks));
	}

	/**
	 * How a method runs, decided at its first call.
	 */
	private record Plan(LockedMethod method, LockedExecution execution) {

	}

}
