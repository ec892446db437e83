package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method. Runs the method, and knows whether it has begun. Used by
 * one thread at a time.
 */
final class LockedCall {

	private final LockedMethod called;

	private final MethodInvocation invocation;

	/** Whether the thread waits for the stage that the method returns. */
	private final boolean awaiting;

	/** Whether the call may continue on a thread that did not call the proxy. */
	private final boolean elsewhere;

	/** Whether the locks are being claimed and the method has not begun. */
	private boolean claiming;

	LockedCall(LockedMethod called, MethodInvocation invocation) {
		this(called, invocation, false, false);
	}

	private LockedCall(LockedMethod called, MethodInvocation invocation, boolean awaiting, boolean elsewhere) {
		this.called = called;
		this.invocation = invocation;
		this.awaiting = awaiting;
		this.elsewhere = elsewhere;
	}

	/**
	 * The most specific method.
	 */
	Method method() {
		return this.called.method();
	}

	/**
	 * The class of the object that the method is called on.
	 */
	Class<?> targetClass() {
		return this.called.targetClass();
	}

	@Nullable Object target() {
		return this.invocation.getThis();
	}

	/**
	 * The arguments, which may be changed in place.
	 */
	@Nullable Object[] arguments() {
		return this.invocation.getArguments();
	}

	/**
	 * The variables for the arguments in expressions.
	 */
	LockKeyVariables variables() {
		return this.called.variables();
	}

	/**
	 * Note that the keys and conditions are known. From now on until the method begins,
	 * exceptions concern this call's own locks.
	 */
	void claim() {
		this.claiming = true;
	}

	/**
	 * Whether an exception that is thrown now concerns this call's own locks.
	 */
	boolean isClaiming() {
		return this.claiming;
	}

	/**
	 * A copy of this call with the current arguments and keys, which may run at any time
	 * and on any thread.
	 */
	LockedCall again() {
		LockedCall again = new LockedCall(this.called,
				(this.invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone() : this.invocation,
				false, true);
		again.claiming = true;
		return again;
	}

	/**
	 * A copy of this call that waits for the end of the stage that the method returns.
	 */
	LockedCall toItsEnd() {
		return new LockedCall(this.called, this.invocation, true, false);
	}

	/**
	 * Whether the advice of {@code @Async} has moved the call to a thread of its own.
	 * @param lock the advice that locks
	 */
	boolean isOnAsyncThread(Advice lock) {
		return this.invocation instanceof ProxyMethodInvocation proxied && proxied.getProxy() instanceof Advised advised
				&& AsyncAdvice.isOutsideOf(lock, advised);
	}

	/**
	 * Run the method itself. Its work must have ended when it returns, unless it declares
	 * a result that ends later. The startup check sees only the declared type, for
	 * example Object, so this method checks the actual result.
	 * @return the result of the method
	 * @throws InvalidLockMethodException if the result ends later; thrown under the lock,
	 * which is released as for any other exception
	 * @throws Throwable the exception of the method
	 */
	@Nullable Object proceed() throws Throwable {
		this.claiming = false;
		// Aspects expect the invocation on the thread that runs them
		Object result = (this.elsewhere && this.invocation instanceof ProxyMethodInvocation)
				? ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation) : this.invocation.proceed();
		if (this.awaiting && result instanceof CompletionStage<?> stage) {
			await(stage.toCompletableFuture());
		}
		String later = (this.called.endsLater()) ? null : this.called.results().returned(result);
		if (later != null) {
			throw new InvalidLockMethodException(method(), targetClass(),
					"has returned a " + later + ", so the lock would end before the work ends",
					AsyncResultDetector.ACTION);
		}
		return result;
	}

	// An interrupt by a shutdown or a loss cancels the work, because only this thread
	// waits for it
	private static void await(Future<?> work) throws InterruptedException {
		try {
			work.get();
		}
		catch (ExecutionException | CancellationException ex) {
			// The caller sees this failure in the stage
		}
		catch (InterruptedException ex) {
			work.cancel(true);
			throw ex;
		}
	}

	/**
	 * Describes the method for readers of a message.
	 */
	@Override
	public String toString() {
		return this.called.toString();
	}

}
