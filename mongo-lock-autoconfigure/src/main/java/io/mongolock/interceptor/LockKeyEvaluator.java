package io.mongolock.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
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
		String expression = operation.key();
		try {
			String key = (expression != null)
					? LockKeyText.of(evaluate(expression, operation, args, target, targetClass)) : null;
			return LockRequest.builder(join(operation.name(), key))
				.name(operation.name())
				.settings(operation.settings())
				.onLost(operation.onLost())
				.build();
		}
		catch (EvaluationException | IllegalArgumentException ex) {
			throw new IllegalArgumentException("No lock key for "
					+ InvalidLockMethodException.describe(operation.method(), targetClass)
					+ ((expression != null) ? " from expression '" + expression + "'" : "") + ": " + ex.getMessage(),
					ex);
		}
	}

	private @Nullable Object evaluate(String expression, LockOperation operation, @Nullable Object[] args,
			@Nullable Object target, Class<?> targetClass) {
		LockKeyRoot root = new LockKeyRoot(operation.method(), args, target, targetClass);
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(root, operation.method(), args,
				getParameterNameDiscoverer());
		this.shared.applyDelegatesTo(context);
		context.setBeanResolver(this.beans);
		AnnotatedElementKey element = new AnnotatedElementKey(operation.method(), targetClass);
		return getExpression(this.expressions, element, expression).getValue(context);
	}

	private static String join(@Nullable String name, @Nullable String key) {
		if (name != null) {
			return (key != null) ? name + ":" + key : name;
		}
		if (key == null) {
			throw new IllegalArgumentException("neither name nor key is given");
		}
		return key;
	}

}
