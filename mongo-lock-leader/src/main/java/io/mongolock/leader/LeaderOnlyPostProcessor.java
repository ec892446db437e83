package io.mongolock.leader;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

import io.mongolock.interceptor.AdvisedProxies;
import io.mongolock.interceptor.AsyncAdvice;
import io.mongolock.interceptor.ProxyKind;
import io.mongolock.interceptor.ProxyReach;
import io.mongolock.interceptor.ProxyReach.Obstacle;

/**
 * Guards the methods with {@link LeaderOnly}, before all their other advice. Refuses at
 * startup any method that cannot be guarded. Thread-safe.
 */
final class LeaderOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LeaderOnlyPostProcessor.class);

	private final Set<String> roles = ConcurrentHashMap.newKeySet();

	/** Whether a class has methods to guard; all of them can be guarded. */
	private final Map<Class<?>, Boolean> guarded = new ConcurrentHashMap<>(256);

	private final ObjectProvider<LeaderElections> elections;

	private final MethodInterceptor guard;

	LeaderOnlyPostProcessor(ObjectProvider<LeaderElections> elections) {
		this.elections = elections;
		// Before the post-processor that schedules methods, which would bypass the proxy
		setOrder(0);
		setBeforeExistingAdvisors(true);
		this.guard = (invocation) -> {
			Object target = invocation.getThis();
			String role = role(invocation.getMethod(), (target != null) ? AopUtils.getTargetClass(target) : null)
				.orElseThrow();
			this.elections.getObject().of(role).ifLeader(() -> proceed(invocation));
			return null;
		};
		this.advisor = new DefaultPointcutAdvisor(new Guarded(), this.guard);
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beans = Objects.requireNonNull(this.beanFactory);
		for (String name : beans.getSingletonNames()) {
			Object bean = beans.getSingleton(name);
			if (bean != null) {
				checkProxy(name, bean, beans);
			}
		}
		ProxyKind proxies = new ProxyKind(beans);
		proxies.later().forEach((name, type) -> {
			if (isEligible(type)) {
				guardedMethods(type).keySet().forEach((method) -> refuse(proxies.toLater(name, method, type), method));
			}
		});
		this.roles.forEach((role) -> this.elections.getObject().of(role));
	}

	private void checkProxy(String name, Object bean, ConfigurableListableBeanFactory beans) {
		Class<?> targetClass = AopUtils.getTargetClass(bean);
		if (!isEligible(targetClass)) {
			return;
		}
		SpringProxy proxy = AdvisedProxies.find(bean, (advice) -> advice == this.guard);
		String problem = "Bean '" + name + "' of " + targetClass
				+ " has @LeaderOnly methods, but no proxy, so these methods would run even while this instance does "
				+ "not lead";
		if (proxy == null && AdvisedProxies.mayBeMissing(beans)) {
			logger.warn(problem + ". If the test itself has put this bean into the context, for example with "
					+ "@MockitoBean, ignore this message");
			return;
		}
		if (proxy == null) {
			throw new IllegalStateException(problem + ". The bean was created too early, for example because a "
					+ "BeanPostProcessor depends on the bean. Move the methods to another bean, or call "
					+ "LeaderElection.ifLeader");
		}
		List<Advisor> later = (proxy instanceof Advised advised)
				? AsyncAdvice.insideOf((advice) -> advice == this.guard, advised) : List.of();
		for (Method method : (later.isEmpty()) ? Set.<Method>of() : guardedMethods(targetClass).keySet()) {
			if (later.stream().anyMatch((advisor) -> AsyncAdvice.advises(advisor, method, targetClass))) {
				throw new IllegalStateException("@LeaderOnly on " + method
						+ " runs outside of @Async, so the work would go on after the role is given back. Remove the "
						+ "order of @EnableAsync, or call LeaderElection.ifLeader in the work");
			}
		}
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		Class<?> targetClass = AopUtils.getTargetClass(bean);
		if (isEligible(targetClass) && this.beanFactory != null && this.beanFactory.containsBeanDefinition(beanName)) {
			BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(beanName);
			guardedMethods(targetClass).keySet()
				.forEach((method) -> refuse(ProxyReach.toCallback(definition, method, targetClass), method));
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Object guarded = super.postProcessAfterInitialization(bean, beanName);
		Class<?> targetClass = AopUtils.getTargetClass(guarded);
		SpringProxy proxy = AdvisedProxies.find(guarded, (advice) -> advice == this.guard);
		if (proxy != null && isEligible(targetClass)) {
			guardedMethods(targetClass).keySet()
				.forEach((method) -> refuse(ProxyReach.toProxy(proxy, method, targetClass), method));
		}
		return guarded;
	}

	@Override
	protected boolean isEligible(Class<?> targetClass) {
		return this.guarded.computeIfAbsent(targetClass, this::isGuarded);
	}

	private static Map<Method, String> guardedMethods(Class<?> targetClass) {
		return MethodIntrospector.selectMethods(targetClass,
				(MetadataLookup<String>) (method) -> role(method, targetClass).orElse(null));
	}

	private boolean isGuarded(Class<?> targetClass) {
		Map<Method, String> found = guardedMethods(targetClass);
		found.keySet().forEach((method) -> check(method, ClassUtils.getUserClass(targetClass)));
		this.roles.addAll(found.values());
		return !found.isEmpty();
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

	private static void check(Method method, Class<?> targetClass) {
		if (method.getReturnType() != void.class) {
			throw new IllegalStateException("@LeaderOnly on " + method
					+ " is not possible, because the method returns a value, and there is no value to return while "
					+ "this instance does not lead. Make the method void, or call LeaderElection.ifLeader");
		}
		refuse(ProxyReach.toAnyProxy(method, targetClass), method);
	}

	private static void refuse(@Nullable Obstacle obstacle, Method method) {
		if (obstacle != null) {
			throw new IllegalStateException("@LeaderOnly method " + method + " " + obstacle.problem()
					+ ", so the method would run even while this instance does not lead. " + obstacle.action()
					+ ", or call LeaderElection.ifLeader");
		}
	}

	/** The methods that have the annotation. */
	private static final class Guarded extends StaticMethodMatcherPointcut {

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return role(method, targetClass).isPresent();
		}

	}

}
