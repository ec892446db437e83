package io.mongolock.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.observation.LockMeters;
import io.mongolock.observation.LockObservations;

/**
 * Auto-configuration for the meters of the locks.
 */
@Lazy
@AutoConfiguration(after = MongoLockAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, LockTemplate.class })
public final class LockMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "mongoLockNamesMeterFilter")
	static MeterFilter mongoLockNamesMeterFilter() {
		return new LockNamesMeterFilter();
	}

	// Not lazy for its gauges, even if a client of the application's own hears no meters
	@Bean
	@Lazy(false)
	@ConditionalOnMissingBean
	static LockMeters mongoLockMeters(MeterRegistry registry, ObjectProvider<LockObservations> observations,
			ObjectProvider<MeterObservationHandler<?>> timers, ConfiguredSettings configured,
			ObjectProvider<LockTemplate> client) {
		boolean observed = observations.stream().anyMatch(LockObservations::observes)
				&& timers.stream().findAny().isPresent();
		LockMeters meters = new LockMeters(registry, !observed, client);
		configured.byName().keySet().forEach(meters::expect);
		return meters;
	}

}
