package io.mongolock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

import io.mongolock.concurrent.ThreadState;
import io.mongolock.concurrent.ThreadValue;
import io.mongolock.observation.LockMdc;
import io.mongolock.observation.ThreadSnapshots;

/**
 * The values that Spring and related libraries bind to threads. Work on a thread of this
 * library takes them along from the caller's thread. Each related library has a class of
 * its own here, which is loaded only if that library is present.
 */
final class CallerStates {

	private CallerStates() {
	}

	/**
	 * All states.
	 * @param own the states that are beans of the application
	 */
	static List<ThreadState> of(List<ThreadState> own, @Nullable ClassLoader loader) {
		List<ThreadState> all = new ArrayList<>(own);
		all.add(new ThreadValue<>(LocaleContextHolder::getLocaleContext, LocaleContextHolder::setLocaleContext));
		if (ClassUtils.isPresent("org.slf4j.MDC", loader)) {
			all.add(LockMdc.ofThread());
		}
		if (ClassUtils.isPresent("org.springframework.web.context.request.RequestContextHolder", loader)) {
			all.add(Web.request());
		}
		if (ClassUtils.isPresent("org.springframework.security.core.context.SecurityContextHolder", loader)) {
			all.add(Security.login());
		}
		if (ClassUtils.isPresent("io.micrometer.context.ContextRegistry", loader)) {
			all.add(Propagation.registered());
		}
		return List.copyOf(all);
	}

	private static final class Web {

		static ThreadState request() {
			return new ThreadValue<>(RequestContextHolder::getRequestAttributes,
					RequestContextHolder::setRequestAttributes);
		}

	}

	static final class Security {

		static ThreadState login() {
			return new ThreadValue<>(Security::get, Security::set);
		}

		private static @Nullable SecurityContext get() {
			SecurityContext context = SecurityContextHolder.getContext();
			return (context.getAuthentication() != null) ? context : null;
		}

		private static void set(@Nullable SecurityContext context) {
			if (context != null) {
				SecurityContextHolder.setContext(context);
			}
			else {
				SecurityContextHolder.clearContext();
			}
		}

	}

	private static final class Propagation {

		static ThreadState registered() {
			return new ThreadSnapshots(ContextRegistry.getInstance());
		}

	}

}
