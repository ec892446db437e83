package io.mongolock.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.core.ConfiguredSettings;

/**
 * The parts that modules make locks with. Where locks are switched off, too: for
 * documents of the application they are part of how those are saved.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
class LockEnvironmentConfiguration {

	@Bean
	ApplicationLockEnvironment mongoLockEnvironment(ListableBeanFactory beanFactory, MongoLockProperties properties,
			ConfiguredSettings configured, LockOwner owner, LockClock clock, ObjectProvider<LockListener> listeners,
			LockLifecycle lifecycle) {
		return new ApplicationLockEnvironment(beanFactory, properties, configured, owner, clock, listeners, lifecycle);
	}

}
