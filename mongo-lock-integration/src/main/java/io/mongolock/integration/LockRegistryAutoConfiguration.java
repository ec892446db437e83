package io.mongolock.integration;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

import io.mongolock.LockOperations;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;

/**
 * Auto-configuration for the lock registry, if Spring Integration is on the class path
 * and the application has no other registry.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnBean(LockOperations.class)
public final class LockRegistryAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockRegistry.class)
	MongoLockRegistry mongoLockRegistry(LockOperations locks) {
		return new MongoLockRegistry(locks, MongoLockRegistry.NAME);
	}

	@Bean
	static RegistryCheck mongoLockRegistryCheck(ListableBeanFactory beanFactory) {
		return new RegistryCheck(beanFactory);
	}

}
