package io.mongolock.mongodb.autoconfigure;

import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.mongolock.mongodb.FencedWrites;
import io.mongolock.mongodb.WriteConcernHints;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Guards writes by the locks of the application.
 */
@Configuration(proxyBeanMethods = false)
class FencedWritesConfiguration {

	/**
	 * Where the locks are kept in MongoDB.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(MongoLockStore.class)
	static class Guarded {

		@Bean
		@Lazy // where it is not clear which template it is, only those fail who ask for
				// it
		@ConditionalOnMissingBean
		FencedWrites mongoLockFencedWrites(ListableBeanFactory beanFactory, LockEnvironment environment,
				MongoLockStore store) {
			return FencedWrites.of(new ApplicationTemplate(beanFactory, environment).get("FencedWrites",
					"FencedWrites.of(template, store)"), store);
		}

		@Bean
		SmartInitializingSingleton mongoLockWriteConcernHint(ListableBeanFactory beanFactory,
				LockEnvironment environment) {
			return () -> new ApplicationTemplate(beanFactory, environment).find()
				.ifPresent(new WriteConcernHints()::look);
		}

	}

	/**
	 * Where everything runs unlocked.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "mongo-lock.enabled", havingValue = false)
	static class Unguarded {

		@Bean
		@Lazy // without MongoDB only those fail who ask for it
		@ConditionalOnMissingBean
		FencedWrites mongoLockFencedWrites(ListableBeanFactory beanFactory, LockEnvironment environment) {
			LogFactory.getLog(FencedWritesConfiguration.class)
				.warn("mongo-lock.enabled=false: FencedWrites writes UNGUARDED; no fence is checked or noted");
			return FencedWrites.unguarded(new ApplicationTemplate(beanFactory, environment).get("FencedWrites",
					"FencedWrites.unguarded(template)"));
		}

	}

}
