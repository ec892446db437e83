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
 * Finds the proxy that has some advice, where proxies of Spring stand in front of each
 * other.
 */
public final class AdvisedProxies {

	private static final String BEAN_OVERRIDES = "org.springframework.test.context.bean.override."
			+ "internalBeanOverridePostProcessor";

	private AdvisedProxies() {
	}

	/**
	 * Whether a test has put objects of its own in place of beans, for example by
	 * {@code @MockitoBean}, which have no proxies.
	 */
	public static boolean mayBeMissing(SingletonBeanRegistry beans) {
		return beans.containsSingleton(BEAN_OVERRIDES);
	}

	/**
	 * The proxy of a bean that has some advice: its own, or one behind that.
	 * @return the proxy, or one that hides its advice or what is behind it, for example a
	 * scope's, and so is trusted; {@code null} if none has it
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
