package io.mongolock.interceptor;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.core.ReactiveAdapter;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockOperations;
import io.mongolock.OnUnavailable;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.spi.DocumentLocking;

/**
 * Decides once per method how the method runs under its locks. So a call runs only code
 * that its declaration needs. Thread-safe.
 */
final class LockedExecutions {

	private final Advice lock;

	private final BeanFactory beanFactory;

	private final LockKeyEvaluator keys;

	private final CallWarnings warnings;

	private final Supplier<LockOperations> operations;

	private final Supplier<DocumentLocking> documents;

	private final Supplier<ConfiguredSettings> configured;

	private final Supplier<CallerContext> callers;

	private final Supplier<SubscriberContext> contexts;

	/**
	 * Create for one advice. Beans are resolved at the first call, not before.
	 * @param lock the advice that locks
	 * @param hasSnapshot whether the transaction of this thread reads from a snapshot
	 */
	LockedExecutions(Advice lock, ObjectFactory<LockOperations> operations, BeanFactory beanFactory,
			BooleanSupplier hasSnapshot) {
		this.lock = lock;
		this.beanFactory = beanFactory;
		this.keys = new LockKeyEvaluator(beanFactory);
		this.warnings = new CallWarnings(hasSnapshot);
		this.operations = SingletonSupplier.of(operations::getObject);
		this.documents = SingletonSupplier.of(() -> beanFactory.getBean(DocumentLocking.class));
		this.configured = SingletonSupplier.of(() -> beanFactory.getBeanProvider(ConfiguredSettings.class)
			.getIfAvailable(() -> ConfiguredSettings.NONE));
		this.callers = SingletonSupplier
			.of(() -> beanFactory.getBeanProvider(CallerContext.class).getIfAvailable(() -> CallerContext.NONE));
		this.contexts = SingletonSupplier.of(() -> beanFactory.getBeanProvider(SubscriberContext.class)
			.getIfAvailable(() -> SubscriberContext.NONE));
	}

	/**
	 * Decides how a method runs, from the inside out. The first lock has the settings
	 * that all locks share.
	 * @param locks the declared locks, at least one
	 */
	LockedExecution of(LockedMethod method, List<LockOperation> locks) {
		UnavailableAnswer answer = answer(locks.get(0));
		boolean conditional = locks.stream().anyMatch((lock) -> lock.condition() != null);
		LockedExecution all = underLocks(method, locks, answer);
		LockedExecution execution = (conditional) ? new ConditionalExecution(locks, this.keys, all,
				(wanted) -> underLocks(method, wanted, answer), withoutLocks(method)) : all;
		return (answer != null && !method.endsLater()) ? new UnavailableExecution(execution, answer) : execution;
	}

	private LockedExecution underLocks(LockedMethod method, List<LockOperation> locks,
			@Nullable UnavailableAnswer answer) {
		LockOperation first = locks.get(0);
		if (first.document() != null) {
			return new DocumentLockExecution(first, this.keys, this.documents, this.warnings);
		}
		LockRequests requests = new LockRequests(locks, this.keys, this.configured);
		LockedExecution plain = new LocksExecution(requests, this.operations, this.warnings);
		if (method.later() == null) {
			return plain;
		}
		LockedExecution later = new LaterExecution(requests, this.operations, result(method.later(), answer));
		return (AsyncAdvice.isDeclared(method.method(), method.targetClass())) ? new AsyncMethodExecution(this.lock,
				(answer != null) ? new UnavailableExecution(plain, answer) : plain, later) : later;
	}

	private LockedExecution withoutLocks(LockedMethod method) {
		if (method.later() == null) {
			return LockedCall::proceed;
		}
		LaterResult result = result(method.later(), null);
		return (call) -> result.runUnlocked(call.again());
	}

	private LaterResult result(LaterType type, @Nullable UnavailableAnswer answer) {
		ReactiveAdapter adapter = type.adapter();
		return (adapter != null) ? new ReactiveResult(adapter, answer, this.callers, this.contexts)
				: new StageResult(answer, this.callers);
	}

	private @Nullable UnavailableAnswer answer(LockOperation lock) {
		if (lock.fallback() != null) {
			return new FallbackAnswer(lock.fallback());
		}
		if (lock.unavailableHandler() != null) {
			return new HandlerAnswer(lock.unavailableHandler(), this.beanFactory);
		}
		return (lock.onUnavailable() != OnUnavailable.SKIP) ? null
				: (call, ex) -> SkipAnswer.of(call.method().getReturnType());
	}

}
