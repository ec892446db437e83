package io.mongolock.mongodb.autoconfigure;

import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.type.AnnotatedTypeMetadata;

import io.mongolock.mongodb.FencedWrites;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Guards writes by the locks of the application.
 */
@Configuration(proxyBeanMethods = false)
class FencedWritesConfiguration {

	// Lazy: if it is not clear which template it is, only those fail who ask for it
	@Bean
	@Lazy
	@Conditional(SwitchedOn.class)
	@ConditionalOnBean(MongoLockStore.class)
	@ConditionalOnMissingBean
	FencedWrites mongoLockFencedWrites(ListableBeanFactory beanFactory, LockEnvironment environment,
			MongoLockStore store) {
		return FencedWrites.of(new ApplicationTemplate(beanFactory, environment).get("FencedWrites",
				"FencedWrites.of(template, store)"), store);
	}

	@Bean
	@Lazy // without MongoDB only those fail who ask for it
	@Conditional(SwitchedOff.class)
	@ConditionalOnMissingBean
	FencedWrites mongoLockUnguardedWrites(ListableBeanFactory beanFactory, LockEnvironment environment) {
		LogFactory.getLog(FencedWritesConfiguration.class)
			.warn("mongo-lock.enabled=false: FencedWrites writes UNGUARDED; no fence is checked or noted");
		return FencedWrites.unguarded(new ApplicationTemplate(beanFactory, environment).get("FencedWrites",
				"FencedWrites.unguarded(template)"));
	}

	/**
	 * Reads the switch as the settings are read, so that {@code off} and {@code no} are
	 * the same to it.
	 */
	static class SwitchedOn implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return Binder.get(context.getEnvironment()).bind("mongo-lock.enabled", Boolean.class).orElse(true);
		}

	}

	/**
	 * The opposite.
	 */
	static class SwitchedOff extends SwitchedOn {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return !super.matches(context, metadata);
		}

	}

}
