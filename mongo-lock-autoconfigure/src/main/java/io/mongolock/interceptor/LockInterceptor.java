package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockClock;
import io.mongolock.LockOperations;
import io.mongolock.OnUnavailable;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.spi.DocumentLocking;

/**
 * Runs methods under the locks that were declared for them. What a method returns or
 * throws reaches its caller unchanged.
 */
public class LockInterceptor implements MethodInterceptor {

	private final LockOperationSource source;

	private final BeanFactory beanFactory;

	private final LockKeyEvaluator keys;

	private final Supplier<LockOperations> operations;

	private final Supplier<DocumentLocking> documents;

	private final Supplier<ConfiguredSettings> configured;

	private final Supplier<LockClock> clock;

	private final LaterResults laterResults = new LaterResults();

	private final LateLocks late;

	private final NonBlockingThreads nonBlockingThreads = new NonBlockingThreads();

	private final Map<MethodClassKey, Plan> plans = new ConcurrentHashMap<>(64);

	/**
	 * Create a new interceptor.
	 * @param operations asked for the locks at the first call, not before: proxies are
	 * made long before the store exists
	 * @param beanFactory knows the beans that keys, conditions and declarations refer to,
	 * the one that locks documents, if there is one, and the settings and the clock of
	 * the client
	 */
	public LockInterceptor(LockOperationSource source, Supplier<LockOperations> operations, BeanFactory beanFactory) {
		this(source, operations, beanFactory, () -> false);
	}

	/**
	 * Create a new interceptor that warns of locks which are taken too late.
	 * @param operations asked for the locks at the first call, not before: proxies are
	 * made long before the store exists
	 * @param beanFactory knows the beans that keys, conditions and declarations refer to,
	 * the one that locks documents, if there is one, and the settings and the clock of
	 * the client
	 * @param hasSnapshot whether the transaction of this thread reads from a snapshot
	 * that was taken before; asked inside transactions alone
	 */
	public LockInterceptor(LockOperationSource source, Supplier<LockOperations> operations, BeanFactory beanFactory,
			BooleanSupplier hasSnapshot) {
		this.late = new LateLocks(hasSnapshot);
		this.source = source;
		this.beanFactory = beanFactory;
		this.keys = new LockKeyEvaluator(beanFactory);
		this.operations = SingletonSupplier.of(operations);
		this.documents = SingletonSupplier.of(() -> beanFactory.getBean(DocumentLocking.class));
		this.configured = SingletonSupplier.of(() -> beanFactory.getBeanProvider(ConfiguredSettings.class)
			.getIfAvailable(() -> ConfiguredSettings.NONE));
		this.clock = SingletonSupplier
			.of(() -> beanFactory.getBeanProvider(LockClock.class).getIfAvailable(LockClock::system));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		// as the pointcut is asked: the target of a repository is a proxy, whose own
		// target does not know the interface
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		Plan plan = plan(invocation.getMethod(), targetClass);
		if (!plan.method().endsLater()) {
			this.nonBlockingThreads.warnIfOnOne(plan.method().method(), targetClass);
		}
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
			throw new IllegalStateException("Not run: " + InvalidLockMethodException.describe(called, targetClass)
					+ " was to be guarded by a lock, and none is declared for it. The LockOperationSource "
					+ "answers differently than it did for the proxy, or the advice was added without its advisor");
		}
		LockedMethod method = LockedMethod.of(locks.get(0).method(), targetClass, this.laterResults);
		return new Plan(method, execution(method, locks));
	}

	// From the inside out; what all locks of a method have in common, the first says
	private LockedExecution execution(LockedMethod method, List<LockOperation> locks) {
		UnavailableAnswer answer = answer(locks.get(0));
		boolean conditional = locks.stream().anyMatch((lock) -> lock.condition() != null);
		LockedExecution execution = (conditional)
				? new ConditionalExecution(locks, this.keys, (wanted) -> underLocks(method, wanted, answer))
				: underLocks(method, locks, answer);
		return (answer != null && !method.endsLater()) ? new UnavailableExecution(execution, answer) : execution;
	}

	private LockedExecution underLocks(LockedMethod method, List<LockOperation> locks,
			@Nullable UnavailableAnswer answer) {
		LockOperation first = locks.get(0);
		if (first.document() != null) {
			return new DocumentLockExecution(first, this.keys, this.documents);
		}
		LockRequests requests = new LockRequests(locks, this.keys, this.configured, this.clock);
		LockedExecution plain = new LocksExecution(requests, this.operations, this.late);
		if (method.later() == null) {
			return plain;
		}
		LockedExecution later = LaterExecution.of(method.later(), requests, this.operations, answer);
		return (AsyncAdvice.isDeclared(method.method(), method.targetClass())) ? new AsyncMethodExecution(this,
				(answer != null) ? new UnavailableExecution(plain, answer) : plain, later) : later;
	}

	private @Nullable UnavailableAnswer answer(LockOperation lock) {
		if (lock.fallback() != null) {
			return new FallbackAnswer(lock.fallback());
		}
		if (lock.unavailableHandler() != null) {
			return new HandlerAnswer(lock.unavailableHandler(), this.beanFactory);
		}
		return (lock.onUnavailable() != OnUnavailable.SKIP) ? null
				: (call, ex) -> SkippedResult.of(call.method().getReturnType());
	}

	/**
	 * How a method runs, decided before its first call.
	 */
	private record Plan(LockedMethod method, LockedExecution execution) {

	}

}
