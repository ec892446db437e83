package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/**
 * Puts the {@link LockInterceptor} around the methods that a {@link LockOperationSource}
 * knows.
 */
public final class LockOperationSourceAdvisor extends DefaultPointcutAdvisor {

	/**
	 * Just outside of what has no order of its own, as transactions, caching and aspects
	 * by default; inside of all that has one, as method security. Retries of the
	 * framework are wrapped around all advisors anyway; spring-retry's have this very
	 * order by default, so that whose bean is defined first stands further outside: the
	 * application's come before those that are auto-configured.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	/**
	 * Create a new advisor.
	 * @param order where it stands among other advisors, lower is further outside
	 * @param proxies the kind of proxy: classes of which there can be none are left out
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

		// of what is left out here the verification says what becomes of it
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
