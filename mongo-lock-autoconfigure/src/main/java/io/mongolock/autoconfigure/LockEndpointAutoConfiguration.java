package io.mongolock.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

import io.mongolock.LockClock;
import io.mongolock.LockOperations;
import io.mongolock.actuate.LocksEndpoint;
import io.mongolock.actuate.LocksEndpointWebExtension;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.LockStore;

/**
 * Auto-configuration for the actuator's view of the locks.
 */
@Lazy
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(LockStore.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
public final class LockEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	static LocksEndpoint mongoLocksEndpoint(LockStore store, ConfiguredSettings configured,
			ApplicationEventPublisher events, LockOperations locks, ObjectProvider<LockTemplate> client,
			LockClock clock, ObjectProvider<LockExtension> extensions) {
		LockTemplate template = client.getIfUnique();
		StoreClient source = (template != null)
				? new StoreClient(store, locks, template::waiting, template::takenByForce)
				: new StoreClient(store, locks, (key) -> 0, (key, holder) -> {
				});
		return new LocksEndpoint(source, (id) -> (template != null) ? template.find(id) : null,
				configured.terms().operationTimeout(), events, clock, extensions.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	static LocksEndpointWebExtension mongoLocksEndpointWebExtension(LocksEndpoint endpoint,
			LocksEndpointProperties properties) {
		return new LocksEndpointWebExtension(endpoint, properties.showValues(), properties.roles());
	}

}
