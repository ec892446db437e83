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
 * A type of results that end later, and whose end can be awaited without a thread.
 *
 * @param adapter makes a publisher of a result, and the other way round; {@code null} if
 * the type is a stage
 */
record LaterType(@Nullable ReactiveAdapter adapter) {

	private static final Set<Class<?>> STAGES = Set.of(CompletionStage.class, CompletableFuture.class);

	private static final boolean REACTOR = isPresent("reactor.core.publisher.Flux");

	/** What Spring calls suspending functions by, and itself looks for. */
	private static final boolean COROUTINES = REACTOR && isPresent("kotlinx.coroutines.reactor.MonoKt")
			&& isPresent("kotlin.reflect.full.KCallables");

	/**
	 * The type of a method.
	 * @return {@code null} if its result ends with the call, or in no way that is known
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

	// Before Spring's registry is, which loads hundreds of classes of the libraries: what
	// it knows says by an argument what it emits, unless it never emits anything
	private static boolean mayBeReactive(Class<?> type) {
		boolean ofLibrary = type == Flow.Publisher.class || !type.getName().startsWith("java.");
		return (ofLibrary && type.getTypeParameters().length > 0 && !Iterable.class.isAssignableFrom(type))
				|| type.getName().equals("io.reactivex.rxjava3.core.Completable");
	}

	/**
	 * Whether such a result may have no value.
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
	 * What a suspending function results in.
	 */
	static ResolvableType resultOfSuspending(Method method, Class<?> targetClass) {
		return ResolvableType.forMethodParameter(method, method.getParameterCount() - 1, targetClass).getGeneric();
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, LaterType.class.getClassLoader());
	}

	/** Loaded only if Reactor is there. */
	private static final class Reactive {

		// None of a subtype: what the adapter makes would not be one
		private static @Nullable LaterType of(Class<?> type) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			return (adapter != null && adapter.getReactiveType() == type && adapter.getDescriptor().isDeferred()
					&& !type.getName().equals("kotlinx.coroutines.Deferred")) ? new LaterType(adapter) : null;
		}

		/** Around the function itself stands what Spring makes of it. */
		private static @Nullable LaterType ofSuspending(ResolvableType result) {
			Class<?> type = result.toClass();
			if (type.getName().equals("kotlinx.coroutines.flow.Flow")) {
				return of(Flux.class);
			}
			return (Publisher.class.isAssignableFrom(type)) ? null : of(Mono.class);
		}

	}

}
