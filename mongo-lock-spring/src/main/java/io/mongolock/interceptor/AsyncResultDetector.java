package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

/**
 * Recognizes results whose work goes on, or has not begun, when the method returns them.
 * It goes by the names of types, because most of them belong to libraries that an
 * application need not have.
 */
public final class AsyncResultDetector {

	/** What to do, for messages. */
	public static final String ACTION = "Return a CompletionStage, a CompletableFuture or, if Reactor is on the class "
			+ "path, a Mono, a Flux or another reactive type that Spring adapts. Do not wrap this result in another "
			+ "type, because the lock is held until the returned result has ended. For suspend functions and Flow, add "
			+ "kotlinx-coroutines-reactor and kotlin-reflect. If you cannot return such a type, wait for the result "
			+ "inside the method (return a List in place of a stream or an iterator), or use "
			+ "LockOperations.executeAsync.";

	private static final Set<String> TYPES = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Callable",
			"java.util.concurrent.Flow$Publisher", "java.util.stream.BaseStream", "java.util.Iterator",
			"java.util.Spliterator", "java.util.function.Supplier", "org.reactivestreams.Publisher",
			"kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow", "kotlin.sequences.Sequence",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
			"io.reactivex.rxjava3.core.MaybeSource", "io.reactivex.rxjava3.core.CompletableSource",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final boolean WEB = ClassUtils.isPresent("org.springframework.http.HttpEntity",
			AsyncResultDetector.class.getClassLoader());

	/** Whether the class of a result is such a type. */
	private final Map<Class<?>, Boolean> known = new ConcurrentHashMap<>();

	/**
	 * The declared type of result whose end cannot be known.
	 * @return the type, for diagnostics. {@code null} if the work ends with the call, as
	 * far as declared, or with the result
	 */
	public static @Nullable String declaredBy(Method method, Class<?> targetClass) {
		LaterType later = LaterType.of(method, targetClass);
		if (LaterType.isSuspending(method)) {
			return (later != null) ? findIn(LaterType.resultOfSuspending(method, targetClass), new HashSet<>())
					: "Kotlin continuation (suspend)";
		}
		ResolvableType declared = ResolvableType.forMethodReturnType(method, targetClass);
		return (later != null) ? findIn(declared, new HashSet<>()) : find(declared, new HashSet<>());
	}

	/**
	 * Whether a method declares a result that ends later and until whose end the lock is
	 * held.
	 */
	public static boolean areHeldFor(Method method, Class<?> targetClass) {
		return LaterType.of(method, targetClass) != null;
	}

	private static @Nullable String find(ResolvableType type, Set<Type> seen) {
		Class<?> declared = type.resolve();
		// A type may have itself as a bound, as in <T extends Comparable<T>>
		if (declared == null || !seen.add(type.getType())) {
			return null;
		}
		if (isLater(declared)) {
			return declared.getSimpleName();
		}
		return findIn(type, seen);
	}

	// Searches the element type of a collection, a ResponseEntity or an array
	private static @Nullable String findIn(ResolvableType type, Set<Type> seen) {
		for (ResolvableType inner : type.getGenerics()) {
			String found = find(inner, seen);
			if (found != null) {
				return found;
			}
		}
		return find(type.getComponentType(), seen);
	}

	/**
	 * The type of a returned result whose work goes on.
	 * @return the type, for diagnostics; {@code null} if the work has ended
	 */
	@Nullable String returned(@Nullable Object result) {
		Object body = (WEB) ? Web.bodyOf(result) : result;
		Object inner = (body instanceof Optional<?> optional) ? optional.orElse(null) : body;
		return (inner != null && !(inner instanceof Future<?> future && future.isDone())
				&& this.known.computeIfAbsent(inner.getClass(), AsyncResultDetector::isLater))
						? inner.getClass().getSimpleName() : null;
	}

	// A page or another Streamable of Spring Data is a Supplier, too, but has all its
	// elements
	private static boolean isLater(Class<?> type) {
		return !Iterable.class.isAssignableFrom(type) && isOneOfThem(type);
	}

	private static boolean isOneOfThem(@Nullable Class<?> type) {
		if (type == null || TYPES.contains(type.getName()) || isOneOfThem(type.getSuperclass())) {
			return type != null;
		}
		for (Class<?> contract : type.getInterfaces()) {
			if (isOneOfThem(contract)) {
				return true;
			}
		}
		return false;
	}

	/** Loaded only if Spring Web is present. */
	private static final class Web {

		private static @Nullable Object bodyOf(@Nullable Object result) {
			return (result instanceof HttpEntity<?> entity) ? entity.getBody() : result;
		}

	}

}
