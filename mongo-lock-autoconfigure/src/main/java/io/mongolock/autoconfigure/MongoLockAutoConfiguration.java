package io.mongolock.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.autoconfigure.MongoLockProperties.TtlIndex;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.spi.LockExtension;
import io.mongolock.store.mongo.TtlIndexInitializer.Mode;

/**
 * Auto-configuration for distributed locks on MongoDB. It does not back off where MongoDB
 * is missing: annotated methods would silently run without their locks.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration")
@EnableConfigurationProperties(MongoLockProperties.class)
@Import({ LockMethodConfiguration.class, ServerClockConfiguration.class, LockStoreConfiguration.class,
		LockClientConfiguration.class, CallerContextConfiguration.class, UnlockedConfiguration.class,
		LockWebConfiguration.class })
public final class MongoLockAutoConfiguration {

	@Bean(LockLifecycle.BEAN_NAME)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockLifecycle mongoLockLifecycle() {
		return new LockLifecycle();
	}

	@Bean
	@ConditionalOnMissingBean
	ConfiguredSettings mongoLockConfiguredSettings(MongoLockProperties properties) {
		TtlIndex index = properties.ttlIndex();
		return new ConfiguredSettings(properties.settings(), properties.settingsByName(),
				(index.mode() != Mode.NONE) ? index.retention() : null);
	}

	@Bean
	LockSettingsValidator mongoLockSettingsValidator(MongoLockProperties properties, ConfiguredSettings configured,
			Environment environment, ObjectProvider<LockExtension> extensions) {
		return new LockSettingsValidator(properties, configured, extensions.orderedStream().toList(), environment);
	}

	@Bean
	@ConditionalOnMissingBean
	LockClock mongoLockClock() {
		return LockClock.system();
	}

	/**
	 * The parts that modules make locks with. Where locks are switched off, too: for
	 * documents of the application they are part of how those are saved.
	 */
	@Bean
	@ConditionalOnClass(
			name = { "org.springframework.data.mongodb.core.MongoTemplate", "com.mongodb.client.MongoClient" })
	ApplicationLockEnvironment mongoLockEnvironment(ListableBeanFactory beanFactory, MongoLockProperties properties,
			ConfiguredSettings configured, LockOwner owner, LockClock clock, ObjectProvider<LockListener> listeners,
			LockLifecycle lifecycle) {
		return new ApplicationLockEnvironment(beanFactory, properties, configured, owner, clock, listeners, lifecycle);
	}

	@Bean
	@ConditionalOnMissingBean
	LockOwner mongoLockOwner(Environment environment) {
		return LockOwnerFactory.create(environment);
	}

}
