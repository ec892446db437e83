package io.mongolock.interceptor;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnUnavailable;
import io.mongolock.spi.DocumentLocking;

/**
 * Runs methods under the lock that was declared for them. What a method returns or throws
 * reaches its caller unchanged.
 */
public class LockInterceptor implements MethodInterceptor {

	private static final Log logger = LogFactory.getLog(LockInterceptor.class);

	private final LockOperationSource source;

	private final LockKeyEvaluator keys;

	private final SingletonSupplier<LockOperations> operations;

	private final SingletonSupplier<DocumentLocking> documents;

	private final LaterResults laterResults = new LaterResults();

	private final NonBlockingThreads nonBlockingThreads = new NonBlockingThreads();

	/**
	 * Create a new interceptor.
	 * @param operations asked for the locks at the first call, not before: proxies are
	 * made long before the store exists
	 * @param beanFactory knows the beans that keys refer to, and the one that locks
	 * documents, if there is one
	 */
	public LockInterceptor(LockOperationSource source, Supplier<LockOperations> operations, BeanFactory beanFactory) {
		this.source = source;
		this.keys = new LockKeyEvaluator(beanFactory);
		this.operations = SingletonSupplier.of(operations);
		this.documents = SingletonSupplier.of(() -> beanFactory.getBean(DocumentLocking.class));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		// as the pointcut is asked: the target of a repository is a proxy, whose own
		// target does not know the interface
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		LockOperation operation = this.source.getLockOperation(invocation.getMethod(), targetClass);
		if (operation == null) {
			throw new IllegalStateException("Not run: "
					+ InvalidLockMethodException.describe(invocation.getMethod(), targetClass)
					+ " was to be guarded by a lock, and none is declared for it. The LockOperationSource "
					+ "answers differently than it did for the proxy, or the advice was added without its advisor");
		}
		this.nonBlockingThreads.warnIfOnOne(operation.method(), targetClass);
		Execution execution = (operation.document() != null) ? inDocument(operation, invocation, target, targetClass)
				: beside(operation, invocation, target, targetClass);
		return (operation.onUnavailable() != OnUnavailable.SKIP) ? execution.run(() -> {
		}) : runOrSkip(execution, operation);
	}

	@SuppressWarnings("NullAway") // sees no type arguments: the callback may return null
	private Execution beside(LockOperation operation, MethodInvocation invocation, @Nullable Object target,
			Class<?> targetClass) {
		LockRequest request = this.keys.request(operation, invocation.getArguments(), target, targetClass);
		return (entered) -> this.operations.obtain().execute(request, (handle) -> {
			entered.run();
			return proceed(invocation, operation, targetClass);
		});
	}

	private Execution inDocument(LockOperation operation, MethodInvocation invocation, @Nullable Object target,
			Class<?> targetClass) {
		Object id = this.keys.id(operation, invocation.getArguments(), target, targetClass);
		DocumentLocking documents = this.documents.obtain();
		Class<?> document = Objects.requireNonNull(operation.document());
		return (entered) -> documents.execute(document, id, (request) -> complete(request, operation), (locked) -> {
			entered.run();
			fillIn(operation, documents.parameterType(), locked, invocation.getArguments());
			return proceed(invocation, operation, targetClass);
		});
	}

	private static void complete(LockRequest.Builder request, LockOperation operation) {
		if (operation.name() != null) {
			request.name(operation.name());
		}
		request.settings(operation.settings()).onUnavailable(operation.onUnavailable()).onLost(operation.onLost());
	}

	// What a method declares is known at startup, what it returns is not: Object, for
	// instance. Thrown under the lock, it is released as for any other exception
	private @Nullable Object proceed(MethodInvocation invocation, LockOperation operation, Class<?> targetClass)
			throws Throwable {
		Object result = invocation.proceed();
		String later = this.laterResults.returned(result);
		if (later != null) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"has returned a " + later + ", and the lock would end before the work does", LaterResults.ACTION);
		}
		return result;
	}

	// Those of an invocation may be changed in place
	private static void fillIn(LockOperation operation, Class<?> type, Object locked, @Nullable Object[] arguments) {
		Class<?>[] types = operation.method().getParameterTypes();
		for (int i = 0; i < types.length; i++) {
			if (types[i] == type) {
				arguments[i] = locked;
			}
		}
	}

	private static @Nullable Object runOrSkip(Execution execution, LockOperation operation) throws Throwable {
		AtomicBoolean entered = new AtomicBoolean();
		try {
			return execution.run(() -> entered.set(true));
		}
		catch (LockUnavailableException ex) {
			// one that the method threw is none of ours, and an interrupt is no answer
			if (entered.get() || Thread.currentThread().isInterrupted()) {
				throw ex;
			}
			logger.debug("Skipped " + operation.method() + ": " + ex.getMessage());
			return SkippedResult.of(operation.method().getReturnType());
		}
	}

	/** A call whose key is known. */
	@FunctionalInterface
	private interface Execution {

		@Nullable Object run(Runnable entered) throws Throwable;

	}

}
