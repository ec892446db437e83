package io.mongolock.interceptor;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.AnnotatedElementKey;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.CachedExpressionEvaluator;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.Assert;

import io.mongolock.InvalidLockKeyException;
import io.mongolock.LockRequest;

/**
 * Makes the requests of a call from the declarations and the arguments.
 */
class LockKeyEvaluator extends CachedExpressionEvaluator {

	private final Map<ExpressionKey, Expression> expressions = new ConcurrentHashMap<>(64);

	private final BeanFactoryResolver beans;

	/** Its accessors have caches, which all evaluations share. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	LockKeyEvaluator(BeanFactory beanFactory) {
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	/**
	 * The requests of one declaration: several if its key consists of several.
	 * @return at least one request
	 */
	List<LockRequest> requests(LockOperation operation, LockedCall call) {
		return explained(operation, call,
				() -> (operation.key() != null) ? requests(operation, key(operation, call)) : List.of(request(operation,
						LockRequest.builder(Objects.requireNonNull(operation.name())).name(operation.name()))));
	}

	Object id(LockOperation operation, LockedCall call) {
		return explained(operation, call, () -> {
			Object id = key(operation, call);
			if (mayBeSeveral(id) && SeveralKeys.areIn(id.getClass())) {
				throw new IllegalArgumentException("the value is a " + id.getClass().getTypeName()
						+ ", but a document is locked by one id. Pick one value");
			}
			return id;
		});
	}

	/**
	 * Whether a call needs the lock.
	 * @throws IllegalArgumentException if the condition cannot be evaluated, or is
	 * neither true nor false
	 */
	boolean holds(LockOperation operation, LockedCall call) {
		String condition = operation.condition();
		return condition == null || holds(condition, call);
	}

	private boolean holds(String condition, LockedCall call) {
		try {
			if (evaluate(condition, call) instanceof Boolean holds) {
				return holds;
			}
		}
		catch (EvaluationException ex) {
			throw unclear(condition, call, String.valueOf(ex.getMessage()), ex);
		}
		throw unclear(condition, call, "the value of the condition is neither true nor false", null);
	}

	private static IllegalArgumentException unclear(String condition, LockedCall call, String problem,
			@Nullable Exception cause) {
		return new IllegalArgumentException(call + " was not run, because its condition '" + condition
				+ "' does not say whether the call needs the lock: " + problem, cause);
	}

	private static <T> T explained(LockOperation operation, LockedCall call, Supplier<T> evaluation) {
		String expression = operation.key();
		try {
			return evaluation.get();
		}
		catch (EvaluationException | IllegalArgumentException ex) {
			throw new InvalidLockKeyException(noKey(call, expression) + ": " + ex.getMessage(), ex);
		}
		catch (RuntimeException ex) {
			// The exception comes from code that the expression calls. The caller may
			// handle this type, so it is rethrown. That code may throw the same
			// instance again, so one note is enough
			if (ex.getSuppressed().length == 0) {
				ex.addSuppressed(new IllegalStateException(noKey(call, expression)));
			}
			throw ex;
		}
	}

	private static String noKey(LockedCall call, @Nullable String expression) {
		return "Could not make a lock key for " + call
				+ ((expression != null) ? " from the expression '" + expression + "'" : "");
	}

	private static List<LockRequest> requests(LockOperation operation, Object key) {
		if (mayBeSeveral(key) && SeveralKeys.areIn(key.getClass())) {
			List<@Nullable Object> keys = SeveralKeys.of(key);
			return IntStream.range(0, keys.size()).mapToObj((i) -> ofElement(operation, i, keys.get(i))).toList();
		}
		return List.of(request(operation, LockRequest.builder(operation.name(), key)));
	}

	private static LockRequest ofElement(LockOperation operation, int index, @Nullable Object key) {
		try {
			Assert.notNull(key, "the value is null");
			return request(operation, LockRequest.builder(operation.name(), key));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("element " + index + ": " + ex.getMessage(), ex);
		}
	}

	// A cheap check, so that most keys do not load SeveralKeys
	private static boolean mayBeSeveral(Object key) {
		return key instanceof Iterable || key instanceof BaseStream || key.getClass().isArray();
	}

	private static LockRequest request(LockOperation operation, LockRequest.Builder request) {
		return request.settings(operation.settings())
			.onUnavailable(operation.onUnavailable())
			.onLost(operation.onLost())
			.build();
	}

	private Object key(LockOperation operation, LockedCall call) {
		Object key = evaluate(Objects.requireNonNull(operation.key()), call);
		if (key == null) {
			throw new IllegalArgumentException("the value is null");
		}
		return key;
	}

	/**
	 * Evaluate an expression on the arguments of a call.
	 */
	private @Nullable Object evaluate(String expression, LockedCall call) {
		Object target = call.target();
		LockKeyRoot root = new LockKeyRoot(call.method(), call.method().getName(), call.arguments(), target,
				(target != null) ? AopUtils.getTargetClass(target) : call.targetClass());
		StandardEvaluationContext context = new CallContext(root, call.variables());
		this.shared.applyDelegatesTo(context);
		context.setBeanResolver(this.beans);
		AnnotatedElementKey element = new AnnotatedElementKey(call.method(), call.targetClass());
		return getExpression(this.expressions, element, expression).getValue(context);
	}

	/** Resolves variables to the arguments of a call. */
	private static final class CallContext extends StandardEvaluationContext {

		private final LockKeyVariables variables;

		private final @Nullable Object[] arguments;

		private CallContext(LockKeyRoot root, LockKeyVariables variables) {
			super(root);
			this.variables = variables;
			this.arguments = root.args();
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer argument = this.variables.arguments().get(name);
			return (argument != null) ? this.arguments[argument] : super.lookupVariable(name);
		}

	}

}
