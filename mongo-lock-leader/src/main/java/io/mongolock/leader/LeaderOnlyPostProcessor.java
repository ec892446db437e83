package io.mongolock.leader;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
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
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

import io.mongolock.interceptor.ProxyKind;

/**
 * Guards the methods with {@link LeaderOnly}, before all other advice of theirs, and
 * refuses at startup those that cannot be guarded. Thread-safe.
 */
final class LeaderOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private final Set<String> roles = ConcurrentHashMap.newKeySet();

	/** Whether there are guarded methods in a class, all of which can be. */
	private final Map<Class<?>, Boolean> guarded = new ConcurrentHashMap<>(256);

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

	@Override
	protected boolean isEligible(Class<?> targetClass) {
		return this.guarded.computeIfAbsent(targetClass, this::isGuarded);
	}

	private boolean isGuarded(Class<?> targetClass) {
		Map<Method, String> found = MethodIntrospector.selectMethods(targetClass,
				(MetadataLookup<String>) (method) -> role(method, targetClass).orElse(null));
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

	private void check(Method method, Class<?> targetClass) {
		if (method.getReturnType() != void.class) {
			throw new IllegalStateException("@LeaderOnly on " + method
					+ ", which returns something: there is nothing to return where this instance does not lead. "
					+ "Return nothing, or call LeaderElection.ifLeader");
		}
		String obstacle = obstacle(method, targetClass);
		if (obstacle != null) {
			throw new IllegalStateException("@LeaderOnly on " + method + ", which " + obstacle
					+ ": no proxy of the bean can stand in front of it, it would run where this instance does not lead. "
					+ "Make it an instance method that a proxy can override, or call LeaderElection.ifLeader");
		}
	}

	// As for methods with @DistributedLock
	private @Nullable String obstacle(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
			return (Modifier.isStatic(modifiers)) ? "is static" : "is private";
		}
		if (new ProxyKind(isProxyTargetClass()).isByInterface(targetClass)) {
			return (isInInterface(method, targetClass)) ? null
					: "is in none of its interfaces, and spring.aop.proxy-target-class=false makes proxies of those only";
		}
		if (Modifier.isFinal(modifiers) || Modifier.isFinal(targetClass.getModifiers())) {
			return "is final, or its class is";
		}
		return ((modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
				&& !method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName()))
						? "is package-private in another package than its bean" : null;
	}

	private static boolean isInInterface(Method method, Class<?> targetClass) {
		return method.getDeclaringClass().isInterface() || ClassUtils.getAllInterfacesForClassAsSet(targetClass)
			.stream()
			.flatMap((contract) -> Arrays.stream(contract.getMethods()))
			.anyMatch((declared) -> declared.getName().equals(method.getName())
					&& AopUtils.getMostSpecificMethod(declared, targetClass).equals(method));
	}

	/** The methods that have the annotation. */
	private static final class Guarded extends StaticMethodMatcherPointcut {

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return role(method, targetClass).isPresent();
		}

	}

}
