package io.mongolock.jobs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;

/**
 * Calls the method of a job, and waits until its result has ended. It waits on the run's
 * own thread. If the lock is lost, or the thread is interrupted, the result is cancelled.
 *
 * @param method the method, for which {@link #isPossible} holds
 * @param bean its bean
 */
record JobCall(Method method, Object bean) implements JobWork<Throwable> {

	private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	private static final boolean COROUTINES = REACTOR && isPresent("kotlinx.coroutines.reactor.MonoKt")
			&& isPresent("kotlin.reflect.full.KCallables");

	/**
	 * How soon a loss is noticed if the lock is taken away before the end of its lease.
	 */
	private static final long LOOK_MILLIS = 200;

	/**
	 * Whether the end of the method's result can be known.
	 */
	static boolean isPossible(Method method) {
		Class<?> type = method.getReturnType();
		if (!KotlinDetector.isSuspendingFunction(method)) {
			return type == void.class || CompletionStage.class.isAssignableFrom(type)
					|| (REACTOR && Reactive.adapter(type) != null);
		}
		Class<?> result = ResolvableType.forMethodParameter(method, method.getParameterCount() - 1)
			.getGeneric()
			.toClass();
		return COROUTINES && ("kotlin.Unit".equals(result.getName()) || Reactive.adapter(result) != null);
	}

	/**
	 * The number of arguments that a caller passes.
	 */
	static int arguments(Method method) {
		return method.getParameterCount() - ((KotlinDetector.isSuspendingFunction(method)) ? 1 : 0);
	}

	@Override
	public void run(JobRun run) throws Throwable {
		Object[] arguments = (arguments(this.method) != 0) ? new Object[] { run } : new Object[0];
		if (KotlinDetector.isSuspendingFunction(this.method)) {
			await(Reactive.end(CoroutinesUtils.invokeSuspendingFunction(this.method, this.bean, arguments)));
			return;
		}
		Object result = invoke(arguments);
		if (this.method.getReturnType() != void.class) {
			Objects.requireNonNull(result, () -> this.method
					+ " has returned null. Return a completed CompletionStage or reactive type instead");
			await((result instanceof CompletionStage<?> stage) ? stage.toCompletableFuture() : Reactive.end(result));
		}
	}

	private @Nullable Object invoke(Object[] arguments) throws Throwable {
		try {
			return this.method.invoke(this.bean, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private static void await(CompletableFuture<?> end) throws Throwable {
		LockHandle lock = LockContext.current();
		try {
			while (!endsWithin(end, Math.min(lock.remaining().toMillis() + 1, LOOK_MILLIS))) {
				lock.assertHeld();
			}
		}
		finally {
			// No effect if the result has ended
			end.cancel(true);
		}
	}

	private static boolean endsWithin(CompletableFuture<?> end, long millis) throws Throwable {
		try {
			end.get(millis, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (ExecutionException ex) {
			throw Objects.requireNonNull(ex.getCause());
		}
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, JobCall.class.getClassLoader());
	}

	/** Loaded only if Reactor is on the class path. */
	private static final class Reactive {

		// None for a result that has already begun elsewhere, because a cancel would not
		// reach that work
		private static @Nullable ReactiveAdapter adapter(Class<?> type) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			return (adapter != null && adapter.getDescriptor().isDeferred()
					&& !adapter.getReactiveType().getName().equals("kotlinx.coroutines.Deferred")) ? adapter : null;
		}

		private static CompletableFuture<?> end(Object result) {
			Publisher<?> publisher = Objects.requireNonNull(adapter(result.getClass())).toPublisher(result);
			LockHandle lock = LockContext.current();
			return Flux.from(publisher)
				.then()
				.contextWrite((context) -> context.put(LockHandle.class, lock))
				.toFuture();
		}

	}

}
