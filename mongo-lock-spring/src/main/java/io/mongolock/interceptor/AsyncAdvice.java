package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.aopalliance.aop.Advice;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * The place of the {@link Async} advice in a proxy. Usually it is outside of all other
 * advice, so that the other advice runs on the thread that does the work.
 */
public final class AsyncAdvice {

	private AsyncAdvice() {
	}

	/**
	 * Whether a method or its class is {@code @Async}.
	 */
	public static boolean isDeclared(Method method, Class<?> targetClass) {
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
	}

	/**
	 * Whether the {@code @Async} advice is outside of another advice.
	 */
	static boolean isOutsideOf(Advice advice, Advised proxy) {
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advisor.getAdvice() == advice) {
				return false;
			}
			if (advisor.getAdvice() instanceof AsyncExecutionInterceptor) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The {@code @Async} advisors inside of another advice.
	 */
	public static List<Advisor> insideOf(Predicate<Advice> other, Advised proxy) {
		List<Advisor> inside = new ArrayList<>();
		boolean found = false;
		for (Advisor advisor : proxy.getAdvisors()) {
			found |= other.test(advisor.getAdvice());
			if (found && advisor.getAdvice() instanceof AsyncExecutionInterceptor) {
				inside.add(advisor);
			}
		}
		return inside;
	}

	/**
	 * Whether an advisor advises a method.
	 */
	public static boolean advises(Advisor advisor, Method method, Class<?> targetClass) {
		return !(advisor instanceof PointcutAdvisor pointcut)
				|| (pointcut.getPointcut().getClassFilter().matches(targetClass)
						&& pointcut.getPointcut().getMethodMatcher().matches(method, targetClass));
	}

}
