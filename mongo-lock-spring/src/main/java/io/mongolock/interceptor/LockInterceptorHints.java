package io.mongolock.interceptor;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Keeps in a native image the members that key expressions call on {@code #root}, and the
 * names of optional types that this library looks for. An image finds a type by name only
 * if it knows that name.
 */
class LockInterceptorHints implements RuntimeHintsRegistrar {

	static final List<String> OPTIONAL = List.of("org.springframework.http.HttpEntity",
			"reactor.core.scheduler.Schedulers", "reactor.core.publisher.Flux", "kotlinx.coroutines.reactor.MonoKt",
			"kotlin.reflect.full.KCallables", "org.springframework.data.mongodb.core.MongoTemplate",
			"com.mongodb.client.MongoClient", "org.slf4j.MDC",
			"org.springframework.web.context.request.RequestContextHolder",
			"org.springframework.security.core.context.SecurityContextHolder", "io.micrometer.context.ContextRegistry");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(LockKeyRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS,
					MemberCategory.INVOKE_DECLARED_METHODS);
		OPTIONAL.forEach((type) -> hints.reflection().registerTypeIfPresent(classLoader, type));
	}

}
