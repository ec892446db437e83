package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;

import org.aopalliance.aop.Advice;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

import io.mongolock.interceptor.AsyncAdvice;
import io.mongolock.interceptor.AsyncResultDetector;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.interceptor.LockOperationSource;

/**
 * Finds {@code @Async} methods whose lock would end on the caller's thread while their
 * work continues on another thread.
 */
record LockAsyncCheck(LockOperationSource source, BeanFactory beanFactory) {

	/** The advice that locks. */
	static final Predicate<Advice> LOCKS = LockInterceptor.class::isInstance;

	/**
	 * Look at a bean that may have {@code @Async} advice.
	 */
	void check(Object bean) {
		if (bean instanceof Advised proxy) {
			boolean woven = isWoven();
			List<Advisor> inside = AsyncAdvice.insideOf(LOCKS, proxy);
			if (woven || !inside.isEmpty()) {
				check(AopUtils.getTargetClass(bean), inside, woven);
			}
		}
	}

	/**
	 * Look at the class of a bean that is created later, whose advice is not known yet.
	 */
	void checkWoven(Class<?> targetClass) {
		if (isWoven()) {
			check(targetClass, List.of(), true);
		}
	}

	private boolean isWoven() {
		return this.beanFactory.containsBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME);
	}

	private void check(Class<?> targetClass, List<Advisor> inside, boolean woven) {
		MethodIntrospector
			.selectMethods(targetClass,
					(Method method) -> !this.source.getLockOperations(method, targetClass).isEmpty()
							&& !AsyncResultDetector.areHeldFor(method, targetClass))
			.stream()
			.filter((method) -> inside.stream().anyMatch((advisor) -> AsyncAdvice.advises(advisor, method, targetClass))
					|| (woven && AsyncAdvice.isDeclared(method, targetClass)))
			.findFirst()
			.ifPresent((method) -> {
				throw new InvalidLockMethodException(method, targetClass,
						"is also @Async, and @Async runs inside of the lock, so the lock would end while the work goes "
								+ "on",
						"Return a CompletableFuture, so that the lock is held until this future has ended. Or let "
								+ "@Async run outside the lock. That is the default of @EnableAsync, except in ASPECTJ "
								+ "mode.");
			});
	}

}
