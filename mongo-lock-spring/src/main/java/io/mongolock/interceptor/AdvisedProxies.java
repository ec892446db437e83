package io.mongolock.interceptor;

import java.util.function.Predicate;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.SingletonBeanRegistry;

/**
 * Finds the proxy that has a given advice if several Spring proxies wrap each other.
 */
public final class AdvisedProxies {

	private static final String BEAN_OVERRIDES = "org.springframework.test.context.bean.override."
			+ "internalBeanOverridePostProcessor";

	private AdvisedProxies() {
	}

	/**
	 * Whether a test may have replaced beans by its own objects, for example by
	 * {@code @MockitoBean}. Such objects have no proxies.
	 */
	public static boolean mayBeMissing(SingletonBeanRegistry beans) {
		return beans.containsSingleton(BEAN_OVERRIDES);
	}

	/**
	 * The proxy of a bean that has a given advice: the outermost proxy, or one behind it.
	 * @return the proxy. A proxy that hides its advice or its target, for example a
	 * scope's, is trusted and returned, too. {@code null} if no proxy has the advice
	 */
	public static @Nullable SpringProxy find(Object bean, Predicate<Advice> advice) {
		Object one = bean;
		while (one instanceof SpringProxy proxy) {
			if (!(proxy instanceof Advised advised) || !advised.getTargetSource().isStatic() || has(advised, advice)) {
				return proxy;
			}
			one = AopProxyUtils.getSingletonTarget(proxy);
		}
		return null;
	}

	private static boolean has(Advised proxy, Predicate<Advice> advice) {
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advice.test(advisor.getAdvice())) {
				return true;
			}
		}
		return false;
	}

}
