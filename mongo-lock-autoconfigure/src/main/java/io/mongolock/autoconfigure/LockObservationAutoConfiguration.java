package io.mongolock.autoconfigure;

import java.util.List;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import reactor.util.context.Context;

import io.mongolock.client.LockTemplate;
import io.mongolock.observation.DefaultLockObservationConvention;
import io.mongolock.observation.LockObservationConvention;
import io.mongolock.observation.LockObservations;
import io.mongolock.observation.ObservedSubscriptions;

/**
 * Auto-configuration for observations of the locks.
 */
@Lazy
@AutoConfiguration(after = MongoLockAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass({ ObservationRegistry.class, MeterObservationHandler.class })
@ConditionalOnBean({ ObservationRegistry.class, LockTemplate.class })
public final class LockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	static LockObservations mongoLockObservations(ObservationRegistry registry,
			ObjectProvider<LockObservationConvention> convention, ObjectProvider<ObservationHandler<?>> handlers,
			MongoLockProperties properties) {
		LockObservationConvention own = convention.getIfAvailable();
		boolean wanted = own != null || !onlyMeters(handlers.stream().toList());
		return new LockObservations((wanted) ? registry : ObservationRegistry.NOOP,
				(own != null) ? own : new DefaultLockObservationConvention(properties.observation().showKeys()));
	}

	// With meter handlers only, observations would only feed two timers, which cost a
	// tenth without observations
	private static boolean onlyMeters(List<ObservationHandler<?>> handlers) {
		return !handlers.isEmpty() && handlers.stream().allMatch(MeterObservationHandler.class::isInstance);
	}

	@Lazy
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Context.class)
	static class Subscriptions {

		@Bean
		@ConditionalOnMissingBean
		static ObservedSubscriptions mongoLockObservedSubscriptions(ObservationRegistry registry) {
			return new ObservedSubscriptions(registry);
		}

	}

}
