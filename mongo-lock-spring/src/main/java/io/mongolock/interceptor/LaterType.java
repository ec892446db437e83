package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A type of result that ends later, and whose end can be awaited without blocking a
 * thread.
 *
 * @param adapter converts a result to a publisher, and back; {@code null} if the type is
 * a stage
 */
record LaterType(@Nullable ReactiveAdapter adapter) {

	private static final Set<Class<?>> STAGES = Set.of(CompletionStage.class, CompletableFuture.class);

	private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	/**
	 * Whether the types are present that Spring needs, and itself looks for, to call
	 * suspending functions.
	 */
	private static final boolean COROUTINES = REACTOR && isPresent("kotlinx.coroutines.reactor.MonoKt")
			&& isPresent("kotlin.reflect.full.KCallables");

	/**
	 * The type of a method's result.
	 * @return {@code null} if the result ends with the call, or if its end cannot be
	 * known
	 */
	static @Nullable LaterType of(Method method, Class<?> targetClass) {
		if (isSuspending(method)) {
			return (COROUTINES) ? Reactive.ofSuspending(resultOfSuspending(method, targetClass)) : null;
		}
		Class<?> type = ResolvableType.forMethodReturnType(method, targetClass).toClass();
		if (STAGES.contains(type)) {
			return new LaterType(null);
		}
		return (REACTOR && mayBeReactive(type)) ? Reactive.of(type) : null;
	}

	// Checked before Spring's registry, which loads hundreds of library classes. The
	// types in the registry have a type argument for their elements, unless they never
	// have elements
	private static boolean mayBeReactive(Class<?> type) {
		boolean ofLibrary = type == Flow.Publisher.class || !type.getName().startsWith("java.");
		return (ofLibrary && type.getTypeParameters().length > 0 && !Iterable.class.isAssignableFrom(type))
				|| type.getName().equals("io.reactivex.rxjava3.core.Completable");
	}

	/**
	 * Whether the result may have no value.
	 */
	boolean mayBeEmpty() {
		return this.adapter == null || this.adapter.supportsEmpty();
	}

	static boolean isSuspending(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0
				&& "kotlin.coroutines.Continuation".equals(parameters[parameters.length - 1].getName());
	}

	/**
	 * The result type of a suspending function.
	 */
	static ResolvableType resultOfSuspending(Method method, Class<?> targetClass) {
		return ResolvableType.forMethodParameter(method, method.getParameterCount() - 1, targetClass).getGeneric();
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, LaterType.class.getClassLoader());
	}

	/** Loaded only if Reactor is present. */
	private static final class Reactive {

		// A subtype is not supported, because the adapter would not return that subtype
		private static @Nullable LaterType of(Class<?> type) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			return (adapter != null && adapter.getReactiveType() == type && adapter.getDescriptor().isDeferred()
					&& !type.getName().equals("kotlinx.coroutines.Deferred")) ? new LaterType(adapter) : null;
		}

		/** The advice sees the function as the publisher that Spring makes of it. */
		private static @Nullable LaterType ofSuspending(ResolvableType result) {
			Class<?> type = result.toClass();
			if (type.getName().equals("kotlinx.coroutines.flow.Flow")) {
				return of(Flux.class);
			}
			return (Publisher.class.isAssignableFrom(type)) ? null : of(Mono.class);
		}

	}

}
