package io.mongolock.interceptor;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnUnavailable;

/**
 * Runs methods under the lock that was declared for them. What a method returns or throws
 * reaches its caller unchanged.
 */
public class LockInterceptor implements MethodInterceptor {

	private static final Log logger = LogFactory.getLog(LockInterceptor.class);

	private final LockOperationSource source;

	private final LockKeyEvaluator keys;

	private final SingletonSupplier<LockOperations> operations;

	private final NonBlockingThreads nonBlockingThreads = new NonBlockingThreads();

	/**
	 * Create a new interceptor.
	 * @param source knows the methods
	 * @param operations asked for the locks at the first call, not before: proxies are
	 * made long before the store exists
	 * @param beanFactory knows the beans that keys refer to
	 */
	public LockInterceptor(LockOperationSource source, Supplier<LockOperations> operations, BeanFactory beanFactory) {
		this.source = source;
		this.keys = new LockKeyEvaluator(beanFactory);
		this.operations = SingletonSupplier.of(operations);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		LockOperation operation = this.source.getLockOperation(invocation.getMethod(), targetClass);
		if (operation == null) {
			return invocation.proceed();
		}
		this.nonBlockingThreads.warnIfOnOne(operation.method(), targetClass);
		LockRequest request = this.keys.request(operation, invocation.getArguments(), target, targetClass);
		return (operation.onUnavailable() != OnUnavailable.SKIP) ? proceed(request, invocation)
				: proceedOrSkip(request, operation, invocation);
	}

	@SuppressWarnings("NullAway") // sees no type arguments: the callback may return null
	private @Nullable Object proceed(LockRequest request, MethodInvocation invocation) throws Throwable {
		return locks().execute(request, (handle) -> invocation.proceed());
	}

	@SuppressWarnings("NullAway") // as above
	private @Nullable Object proceedOrSkip(LockRequest request, LockOperation operation, MethodInvocation invocation)
			throws Throwable {
		AtomicBoolean entered = new AtomicBoolean();
		try {
			return locks().execute(request, (handle) -> {
				entered.set(true);
				return invocation.proceed();
			});
		}
		catch (LockUnavailableException ex) {
			// one that the method itself threw is none of ours, and an interrupt is no
			// answer
			if (entered.get() || Thread.currentThread().isInterrupted()) {
				throw ex;
			}
			logger.debug("Skipped " + operation.method() + ": " + ex.getMessage());
			return SkippedResult.of(operation.method().getReturnType());
		}
	}

	private LockOperations locks() {
		return this.operations.obtain();
	}

}
