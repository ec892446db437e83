package io.mongolock.interceptor;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.AnnotatedElementKey;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.CachedExpressionEvaluator;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

import io.mongolock.LockRequest;

/**
 * Makes the request of a call out of what was declared and the arguments.
 */
class LockKeyEvaluator extends CachedExpressionEvaluator {

	private final Map<ExpressionKey, Expression> expressions = new ConcurrentHashMap<>(64);

	private final BeanFactoryResolver beans;

	/** Its accessors remember what they found; every evaluation shares them. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	LockKeyEvaluator(BeanFactory beanFactory) {
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	LockRequest request(LockOperation operation, @Nullable Object[] args, @Nullable Object target,
			Class<?> targetClass) {
		return explained(operation, targetClass,
				() -> builder(operation, args, target, targetClass).settings(operation.settings())
					.onUnavailable(operation.onUnavailable())
					.onLost(operation.onLost())
					.build());
	}

	Object id(LockOperation operation, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
		return explained(operation, targetClass, () -> key(operation, args, target, targetClass));
	}

	private static <T> T explained(LockOperation operation, Class<?> targetClass, Supplier<T> evaluation) {
		String expression = operation.key();
		try {
			return evaluation.get();
		}
		catch (EvaluationException | IllegalArgumentException ex) {
			throw new IllegalArgumentException("No lock key for "
					+ InvalidLockMethodException.describe(operation.method(), targetClass)
					+ ((expression != null) ? " from expression '" + expression + "'" : "") + ": " + ex.getMessage(),
					ex);
		}
	}

	private LockRequest.Builder builder(LockOperation operation, @Nullable Object[] args, @Nullable Object target,
			Class<?> targetClass) {
		if (operation.key() == null) {
			return LockRequest.builder(Objects.requireNonNull(operation.name())).name(operation.name());
		}
		return LockRequest.builder(operation.name(), key(operation, args, target, targetClass));
	}

	private Object key(LockOperation operation, @Nullable Object[] args, @Nullable Object target,
			Class<?> targetClass) {
		Object key = evaluate(Objects.requireNonNull(operation.key()), operation, args, target, targetClass);
		if (key == null) {
			throw new IllegalArgumentException("it is null. If it refers to parameters by name, the class must be "
					+ "compiled with -parameters; #p0 always is the first argument");
		}
		return key;
	}

	private @Nullable Object evaluate(String expression, LockOperation operation, @Nullable Object[] args,
			@Nullable Object target, Class<?> targetClass) {
		LockKeyRoot root = new LockKeyRoot(operation.method(), args, target,
				(target != null) ? AopUtils.getTargetClass(target) : targetClass);
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(root, operation.method(), args,
				getParameterNameDiscoverer());
		this.shared.applyDelegatesTo(context);
		context.setBeanResolver(this.beans);
		AnnotatedElementKey element = new AnnotatedElementKey(operation.method(), targetClass);
		return getExpression(this.expressions, element, expression).getValue(context);
	}

}
