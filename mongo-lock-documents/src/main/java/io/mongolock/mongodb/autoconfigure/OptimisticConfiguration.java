package io.mongolock.mongodb.autoconfigure;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.annotation.RegisterReflection;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.mongodb.FullJitterBackOff;
import io.mongolock.mongodb.OptimisticUpdater;
import io.mongolock.mongodb.autoconfigure.MongoLockDocumentsProperties.Optimistic;
import io.mongolock.spi.LockEnvironment;

/**
 * Changes documents optimistically, with and without locks.
 */
@Configuration(proxyBeanMethods = false)
@RegisterReflection(classes = MongoTemplate.class,
		memberCategories = { MemberCategory.ACCESS_DECLARED_FIELDS, MemberCategory.INVOKE_DECLARED_METHODS })
class OptimisticConfiguration {

	@Bean
	@Lazy // where it is not clear which template it is, only those fail who ask for it
	@DependsOn(LockEnvironment.VALIDATOR)
	@ConditionalOnMissingBean
	OptimisticUpdater mongoLockOptimisticUpdater(ListableBeanFactory beanFactory, LockEnvironment environment,
			MongoLockDocumentsProperties properties, ApplicationContext context) {
		Optimistic settings = properties.optimistic();
		MongoTemplate template = new ApplicationTemplate(beanFactory, environment).get("OptimisticUpdater",
				"OptimisticUpdater.of(template, backOff, context)");
		return OptimisticUpdater.of(template, new FullJitterBackOff(settings.maxAttempts(), settings.delay(),
				settings.multiplier(), settings.maxDelay()), context);
	}

}
