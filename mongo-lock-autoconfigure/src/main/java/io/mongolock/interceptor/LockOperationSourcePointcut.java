package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches the methods that a {@link LockOperationSource} knows.
 */
class LockOperationSourcePointcut extends StaticMethodMatcherPointcut {

	private final LockOperationSource source;

	LockOperationSourcePointcut(LockOperationSource source, ProxyKind proxies) {
		this.source = source;
		// of what is left out here the verification says what becomes of it
		ClassFilter candidates = (type) -> source.isCandidateClass(type) && proxies.isPossible(type);
		setClassFilter(candidates);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return !this.source.getLockOperations(method, targetClass).isEmpty();
	}

}
