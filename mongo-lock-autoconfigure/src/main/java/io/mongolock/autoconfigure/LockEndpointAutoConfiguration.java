package io.mongolock.autoconfigure;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

import io.mongolock.LockOperations;
import io.mongolock.actuate.LocksEndpoint;
import io.mongolock.actuate.LocksEndpointWebExtension;
import io.mongolock.core.LockDefaults;
import io.mongolock.store.LockStore;

/**
 * Auto-configuration for the actuator's view of the locks.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(LockStore.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
public final class LockEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint mongoLocksEndpoint(LockStore store, LockDefaults defaults, ApplicationEventPublisher events,
			LockOperations locks) {
		return new LocksEndpoint(store, defaults.terms().operationTimeout(), events, locks);
	}

	@Bean
	@ConditionalOnMissingBean
	LocksEndpointWebExtension mongoLocksEndpointWebExtension(LocksEndpoint endpoint,
			LocksEndpointProperties properties) {
		return new LocksEndpointWebExtension(endpoint, properties.showValues(), properties.roles());
	}

}
