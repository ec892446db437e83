package io.mongolock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.event.spring.LockEventPublisher;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.LockStore;

/**
 * Claims, keeps and releases locks. Its conditions also apply to all that it imports.
 */
@Lazy
@Configuration(proxyBeanMethods = false)
@ConditionalOnSetting(name = "enabled", byDefault = true)
@ConditionalOnMissingBean(LockOperations.class)
@Import(LockStoreConfiguration.class)
class LockClientConfiguration {

	/** Whether there can be transactions of MongoDB. */
	static final boolean TRANSACTIONS = ClassUtils.isPresent("org.springframework.data.mongodb.core.MongoTemplate",
			LockClientConfiguration.class.getClassLoader())
			&& ClassUtils.isPresent("com.mongodb.client.MongoClient", LockClientConfiguration.class.getClassLoader());

	private static final String WITHOUT_LOCKS = " To run without locks, set mongo-lock.enabled=false.";

	@Bean
	@Lazy(false) // fails at the start if there is no store
	@DependsOn("mongoLockSettingsValidator") // that bean names the wrong property
	static LockTemplate mongoLockTemplate(ObjectProvider<LockStore> store, ConfiguredSettings configured,
			LockOwner owner, LockClock clock, ObjectProvider<LockListener> listeners, CallerContext callerContext,
			MongoLockProperties properties, ApplicationContext context, LockLifecycle lifecycle) {
		LockStore known = store.getIfAvailable();
		LockTemplate template = new LockTemplate((known != null) ? known : noStore(context.getClassLoader()),
				new ClientOptions(configured, owner, clock, listeners.orderedStream().toList())
					.withLeakDetection(properties.leakDetection())
					.withOnDeadlock(properties.onDeadlock())
					.withHandOver(new HandOver(properties.handOver().maxTime(), properties.handOver().maxCount()))
					.withPlaceTtl(properties.placeTtl())
					.withMaxPlaces(properties.maxPlaces())
					.withCallerContext(callerContext));
		lifecycle.add(template, clock, properties.shutdownTimeout());
		return template;
	}

	@Bean
	static LockEventPublisher mongoLockEventPublisher(ApplicationContext context) {
		return new LockEventPublisher(context);
	}

	private static LockStore noStore(@Nullable ClassLoader loader) {
		if (ClassUtils.isPresent("org.springframework.data.mongodb.core.MongoTemplate", loader)
				&& !ClassUtils.isPresent("com.mongodb.client.MongoClient", loader)) {
			throw new LockStartupException(
					"Distributed locks need MongoDB's driver mongodb-driver-sync, which is missing. Methods that "
							+ "return reactive types need this driver, too.",
					"Use mongo-lock-starter, or add org.mongodb:mongodb-driver-sync. This driver works beside the "
							+ "reactive driver and uses the same spring.mongodb.uri." + WITHOUT_LOCKS);
		}
		throw new LockStartupException("Distributed locks need Spring Data MongoDB, which is missing.",
				"Use mongo-lock-starter, or add spring-boot-starter-data-mongodb." + WITHOUT_LOCKS);
	}

}
