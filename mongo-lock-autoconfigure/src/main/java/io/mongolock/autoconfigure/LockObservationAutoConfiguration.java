package io.mongolock.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import io.mongolock.client.LockTemplate;
import io.mongolock.observation.DefaultLockObservationConvention;
import io.mongolock.observation.LockObservationConvention;
import io.mongolock.observation.LockObservations;

/**
 * Auto-configuration for observations of the locks.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ ObservationRegistry.class, LockTemplate.class })
public final class LockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObservations mongoLockObservations(ObservationRegistry registry,
			ObjectProvider<LockObservationConvention> convention, MongoLockProperties properties) {
		return new LockObservations(registry, convention
			.getIfAvailable(() -> new DefaultLockObservationConvention(properties.observation().showKeys())));
	}

}
