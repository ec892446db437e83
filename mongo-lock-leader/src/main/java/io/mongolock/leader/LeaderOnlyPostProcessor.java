package io.mongolock.leader;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Guards the methods with {@link LeaderOnly}, before all other advice of theirs, and
 * refuses at startup those that cannot be guarded. Thread-safe.
 */
final class LeaderOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private final Set<String> roles = ConcurrentHashMap.newKeySet();

	private final ObjectProvider<LeaderElections> elections;

	LeaderOnlyPostProcessor(ObjectProvider<LeaderElections> elections) {
		this.elections = elections;
		// Before the one that schedules methods, which would call past the proxy
		setOrder(0);
		setBeforeExistingAdvisors(true);
		this.advisor = new DefaultPointcutAdvisor(new Guarded(), (MethodInterceptor) (invocation) -> {
			Object target = invocation.getThis();
			String role = role(invocation.getMethod(), (target != null) ? AopUtils.getTargetClass(target) : null)
				.orElseThrow();
			this.elections.getObject().of(role).ifLeader(() -> proceed(invocation));
			return null;
		});
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.roles.forEach((role) -> this.elections.getObject().of(role));
	}

	private static void proceed(MethodInvocation invocation) throws Throwable {
		invocation.proceed();
	}

	private static Optional<String> role(Method method, @Nullable Class<?> targetClass) {
		return Optional
			.ofNullable(AnnotatedElementUtils.findMergedAnnotation(AopUtils.getMostSpecificMethod(method, targetClass),
					LeaderOnly.class))
			.map(LeaderOnly::value);
	}

	/** The methods that have the annotation. */
	private final class Guarded extends StaticMethodMatcherPointcut {

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			Optional<String> role = role(method, targetClass);
			if (role.isEmpty()) {
				return false;
			}
			if (method.getReturnType() != void.class) {
				throw new IllegalStateException("@LeaderOnly on " + method
						+ ", which returns something: there is nothing to return where this instance does not lead. "
						+ "Return nothing, or call LeaderElection.ifLeader");
			}
			LeaderOnlyPostProcessor.this.roles.add(role.get());
			return true;
		}

	}

}
