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
 * One call of a method that runs under locks: runs the method, and knows whether it has
 * begun. Used by one thread at a time.
 */
final class LockedCall {

	private final LockedMethod called;

	private final MethodInvocation invocation;

	/** Whether the thread waits for the stage that the method returns. */
	private final boolean awaiting;

	/** Whether it may go on on another thread than the one that called the proxy. */
	private final boolean elsewhere;

	/** Whether its locks are asked for, and the method has not begun. */
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
	 * What expressions call the arguments.
	 */
	LockKeyVariables variables() {
		return this.called.variables();
	}

	/**
	 * Its keys and conditions are known: what is thrown from now on, until the method
	 * begins, is about its own locks.
	 */
	void claim() {
		this.claiming = true;
	}

	/**
	 * Whether what is thrown now is about its own locks.
	 */
	boolean isClaiming() {
		return this.claiming;
	}

	/**
	 * This call once more, for as long as it is wanted and on whichever thread, with the
	 * arguments and the keys as they are.
	 */
	LockedCall again() {
		LockedCall again = new LockedCall(this.called,
				(this.invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone() : this.invocation,
				false, true);
		again.claiming = true;
		return again;
	}

	/**
	 * This call, to the end of the stage that the method returns.
	 */
	LockedCall toItsEnd() {
		return new LockedCall(this.called, this.invocation, true, false);
	}

	/**
	 * Whether the advice of {@code @Async} has moved the call to a thread of its own.
	 * @param lock the advice that asks
	 */
	boolean isOnAsyncThread(Advice lock) {
		return this.invocation instanceof ProxyMethodInvocation proxied && proxied.getProxy() instanceof Advised advised
				&& AsyncAdvice.isOutsideOf(lock, advised);
	}

	/**
	 * Run the method itself, which has to have ended when it returns unless it declares
	 * otherwise. What it declares is known at startup, what it returns is not: Object,
	 * for instance.
	 * @return what it returned
	 * @throws InvalidLockMethodException if its result ends later; thrown under the lock,
	 * which is released as for any other exception
	 * @throws Throwable what it threw
	 */
	@Nullable Object proceed() throws Throwable {
		this.claiming = false;
		// Aspects look for the invocation on the thread that runs them
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

	// An interrupt, of a shutdown or a loss, is for the work: nobody else waits for it
	private static void await(Future<?> work) throws InterruptedException {
		try {
			work.get();
		}
		catch (ExecutionException | CancellationException ex) {
			// For the caller, who gets the stage itself
		}
		catch (InterruptedException ex) {
			work.cancel(true);
			throw ex;
		}
	}

	/**
	 * The method for people to read.
	 */
	@Override
	public String toString() {
		return this.called.toString();
	}

}
