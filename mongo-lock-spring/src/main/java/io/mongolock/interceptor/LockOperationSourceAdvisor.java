package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/**
 * Puts the {@link LockInterceptor} around the locked methods of a
 * {@link LockOperationSource}.
 */
public final class LockOperationSourceAdvisor extends DefaultPointcutAdvisor {

	/**
	 * Just outside of advice without an order, such as transactions, caching and aspects
	 * by default, and inside of advice with an order, such as method security. The
	 * framework's retries are outside of all advisors anyway. The retries of spring-retry
	 * have the same order as this by default. Then the bean that is defined first is
	 * further outside, and the application's beans come before auto-configured ones.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	/**
	 * Create a new advisor.
	 * @param order the order among other advisors; lower is further outside
	 * @param proxies the kind of proxy; classes that cannot have a proxy are left out
	 */
	public LockOperationSourceAdvisor(LockOperationSource source, LockInterceptor interceptor, int order,
			ProxyKind proxies) {
		super(new LockedMethods(source, proxies), interceptor);
		setOrder(order);
	}

	/** Matches the methods that the source knows. */
	private static final class LockedMethods extends StaticMethodMatcherPointcut implements ClassFilter {

		private final LockOperationSource source;

		private final ProxyKind proxies;

		private LockedMethods(LockOperationSource source, ProxyKind proxies) {
			this.source = source;
			this.proxies = proxies;
			setClassFilter(this);
		}

		// The verification reports the classes that are left out here
		@Override
		public boolean matches(Class<?> type) {
			return this.source.isCandidateClass(type) && this.proxies.isPossible(type);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return !this.source.getLockOperations(method, targetClass).isEmpty();
		}

	}

}
