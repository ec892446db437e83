package io.mongolock.autoconfigure;

import java.util.function.Supplier;

import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.RequestContextHolder;

import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.ThreadState;
import io.mongolock.concurrent.ThreadValue;
import io.mongolock.observation.LockMdc;
import io.mongolock.observation.ThreadSnapshots;

/**
 * The context that work on a thread of the library takes along of the thread that asked
 * for it: what Spring and its neighbours bind to threads, and what the application's own
 * {@link TaskDecorator} beans carry, as the executors of Spring Boot have it.
 */
@Configuration(proxyBeanMethods = false)
class CallerContextConfiguration {

	@Bean
	CallerContext mongoLockCallerContext(ObjectProvider<ThreadState> states, ObjectProvider<TaskDecorator> decorators) {
		// Asked for at the first work: they may need beans that need locks
		Supplier<TaskDecorator> all = SingletonSupplier
			.of(() -> new CompositeTaskDecorator(decorators.orderedStream().toList()));
		return new CallerContext(states.orderedStream().toList(), (task) -> all.get().decorate(task));
	}

	@Bean
	ThreadState mongoLockCallerLocale() {
		return new ThreadValue<>(LocaleContextHolder::getLocaleContext, LocaleContextHolder::setLocaleContext);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MDC.class)
	static class Mdc {

		@Bean
		ThreadState mongoLockCallerMdc() {
			return LockMdc.ofThread();
		}

		/**
		 * Names the lock in the log lines of what runs under it.
		 */
		@Bean
		@ConditionalOnSetting(name = "enabled", byDefault = true)
		@ConditionalOnMissingBean
		LockMdc mongoLockMdc() {
			return new LockMdc();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RequestContextHolder.class)
	static class Request {

		@Bean
		ThreadState mongoLockCallerRequest() {
			return new ThreadValue<>(RequestContextHolder::getRequestAttributes,
					RequestContextHolder::setRequestAttributes);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(SecurityContextHolder.class)
	static class Security {

		@Bean
		ThreadState mongoLockCallerSecurity() {
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

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ContextRegistry.class)
	static class Registered {

		@Bean
		ThreadState mongoLockCallerSnapshots() {
			return new ThreadSnapshots(ContextRegistry.getInstance());
		}

	}

}
