package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches the methods that a {@link LockOperationSource} knows.
 */
class LockOperationSourcePointcut extends StaticMethodMatcherPointcut {

	private final LockOperationSource source;

	LockOperationSourcePointcut(LockOperationSource source) {
		this.source = source;
		ClassFilter candidates = source::isCandidateClass;
		setClassFilter(candidates);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.getLockOperation(method, targetClass) != null;
	}

}
