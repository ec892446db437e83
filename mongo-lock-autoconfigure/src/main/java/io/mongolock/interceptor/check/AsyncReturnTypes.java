package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Recognizes methods whose work goes on after they have returned. By name, as most of
 * these types belong to libraries that an application need not have.
 */
final class AsyncReturnTypes {

	private static final Set<String> TYPES = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Callable",
			"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher", "kotlinx.coroutines.Job",
			"kotlinx.coroutines.flow.Flow", "io.reactivex.rxjava3.core.ObservableSource",
			"io.reactivex.rxjava3.core.SingleSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.CompletableSource",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private AsyncReturnTypes() {
	}

	/**
	 * What kind of result that is.
	 * @param method the method
	 * @return a type for diagnostics, or {@code null} if the work ends with the call
	 */
	static @Nullable String find(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		if (parameters.length > 0
				&& "kotlin.coroutines.Continuation".equals(parameters[parameters.length - 1].getName())) {
			return "Kotlin continuation (suspend)";
		}
		Class<?> result = method.getReturnType();
		return (supertypes(result).stream().anyMatch(TYPES::contains)) ? result.getSimpleName() : null;
	}

	private static Set<String> supertypes(Class<?> type) {
		Set<String> names = new LinkedHashSet<>();
		for (Class<?> one = type; one != null; one = one.getSuperclass()) {
			names.add(one.getName());
		}
		for (Class<?> one : ClassUtils.getAllInterfacesForClassAsSet(type)) {
			collect(one, names);
		}
		return names;
	}

	private static void collect(Class<?> type, Set<String> names) {
		names.add(type.getName());
		for (Class<?> one : type.getInterfaces()) {
			collect(one, names);
		}
	}

}
