package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

import io.mongolock.LockSettings;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.LockOperationSource;

/**
 * Looks at each bean's methods before it is used. Once all singletons exist it looks at
 * the definitions of those that do not yet, lazy ones for instance, and whether those
 * with locked methods really have the proxy that locks: a bean that was created too early
 * has none.
 */
public class LockMethodVerifier implements BeanPostProcessor, SmartInitializingSingleton, PriorityOrdered {

	private final LockOperationSource source;

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockMethodCheck check;

	private final Map<Class<?>, Boolean> checked = new ConcurrentHashMap<>(256);

	/**
	 * Create a new verifier.
	 * @param source knows the methods
	 * @param beanFactory holds the beans
	 * @param terms computes the terms of a name and settings, and refuses bad ones
	 * @param classProxies whether proxies extend the class of the bean
	 */
	public LockMethodVerifier(LockOperationSource source, ConfigurableListableBeanFactory beanFactory,
			BiFunction<@Nullable String, LockSettings, ResolvedLockSettings> terms, boolean classProxies) {
		this.source = source;
		this.beanFactory = beanFactory;
		this.check = new LockMethodCheck(terms, classProxies);
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		hasLocks(bean);
		return bean;
	}

	/** What a FactoryBean makes is seen here only. */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		hasLocks(bean);
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		checkDefinitions();
		checkProxies();
	}

	private void checkDefinitions() {
		for (String beanName : this.beanFactory.getBeanDefinitionNames()) {
			if (!this.beanFactory.containsSingleton(beanName)) {
				Class<?> type = this.beanFactory.getType(beanName, false);
				// of an interface or a supertype the bean itself may know more
				if (type != null && !Modifier.isAbstract(type.getModifiers())) {
					hasLocks(ClassUtils.getUserClass(type));
				}
			}
		}
	}

	private void checkProxies() {
		for (String beanName : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(beanName);
			if (bean != null && !isAdvised(bean) && hasLocks(bean)) {
				throw new InvalidLockMethodException(
						"Bean '" + beanName + "' of " + AopUtils.getTargetClass(bean)
								+ " has @DistributedLock methods, but no proxy: they would run without the lock",
						"It is created before proxies are, perhaps because a BeanPostProcessor depends on it, "
								+ "or was registered as a finished object. Move the methods to another bean, "
								+ "or let that dependency be @Lazy.",
						null);
			}
		}
	}

	private boolean hasLocks(Object bean) {
		// such as a repository: what stands behind it may not know the interface
		boolean proxyHasLocks = Proxy.isProxyClass(bean.getClass()) && hasLocks(bean.getClass());
		return hasLocks(AopUtils.getTargetClass(bean)) || proxyHasLocks;
	}

	private boolean hasLocks(Class<?> targetClass) {
		Boolean known = this.checked.get(targetClass);
		if (known == null) {
			known = this.source.isCandidateClass(targetClass) && checkAll(targetClass);
			this.checked.put(targetClass, known);
		}
		return known;
	}

	private boolean checkAll(Class<?> targetClass) {
		Map<Method, LockOperation> operations = MethodIntrospector.selectMethods(targetClass,
				(MethodIntrospector.MetadataLookup<LockOperation>) (method) -> this.source.getLockOperation(method,
						targetClass));
		operations.values().forEach((operation) -> this.check.check(operation, targetClass));
		return !operations.isEmpty();
	}

	private static boolean isAdvised(Object bean) {
		// looks through proxies in front of ours; one that hides its advice is trusted
		for (Object one = bean; one instanceof SpringProxy; one = Objects
			.requireNonNullElse(AopProxyUtils.getSingletonTarget(one), "no proxy")) {
			if (!(one instanceof Advised advised) || Arrays.stream(advised.getAdvisors())
				.anyMatch((advisor) -> advisor.getAdvice() instanceof LockInterceptor)) {
				return true;
			}
		}
		return false;
	}

}
