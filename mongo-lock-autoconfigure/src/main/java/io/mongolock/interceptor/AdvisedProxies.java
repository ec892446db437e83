package io.mongolock.interceptor;

import java.util.Arrays;
import java.util.function.Predicate;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;

/**
 * Proxies of Spring in front of each other.
 */
public final class AdvisedProxies {

	private AdvisedProxies() {
	}

	/**
	 * The proxy of a bean that has some advice: its own, or one behind that.
	 * @return the proxy, or one that hides its advice and so is trusted; {@code null} if
	 * none has it
	 */
	public static @Nullable SpringProxy find(Object bean, Predicate<Advice> advice) {
		Object one = bean;
		while (one instanceof SpringProxy proxy) {
			if (!(proxy instanceof Advised advised)
					|| Arrays.stream(advised.getAdvisors()).anyMatch((advisor) -> advice.test(advisor.getAdvice()))) {
				return proxy;
			}
			one = AopProxyUtils.getSingletonTarget(proxy);
		}
		return null;
	}

}
