package io.mongolock.autoconfigure;

import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.mongodb.FencedWrites;

/**
 * Lets guarded writes run unguarded where everything runs unlocked.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSetting(name = "enabled", havingValue = false, byDefault = true)
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
class UnguardedWritesConfiguration {

	@Bean
	@Lazy // without MongoDB only those fail who ask for it
	@ConditionalOnMissingBean
	FencedWrites mongoLockFencedWrites(ListableBeanFactory beanFactory, MongoLockProperties properties) {
		LogFactory.getLog(UnguardedWritesConfiguration.class)
			.warn("mongo-lock.enabled=false: FencedWrites writes UNGUARDED; no fence is checked or noted");
		return FencedWrites.unguarded(new ApplicationTemplate(beanFactory, properties.mongoTemplate())
			.get("FencedWrites", "FencedWrites.unguarded(template)"));
	}

}
