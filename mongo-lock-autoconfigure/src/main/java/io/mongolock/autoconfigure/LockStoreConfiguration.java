package io.mongolock.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockOperations;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TtlIndexInitializer;

/**
 * Keeps locks in the application's MongoDB.
 */
@Configuration(proxyBeanMethods = false)
@DependsOn("mongoLockSettingsValidator") // says which property is wrong
@ConditionalOnBooleanProperty(name = "mongo-lock.enabled", matchIfMissing = true)
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnMissingBean({ LockStore.class, LockOperations.class })
class LockStoreConfiguration {

	private final MongoOperations template;

	private final MongoLockProperties properties;

	LockStoreConfiguration(ListableBeanFactory beanFactory, MongoLockProperties properties) {
		this.template = new LockDatabase(beanFactory).template(properties.mongoTemplate());
		this.properties = properties;
	}

	@Bean
	MongoLockStore mongoLockStore() {
		return new MongoLockStore(this.template, this.properties.collection(), this.properties.keyPrefix());
	}

	@Bean
	@ConditionalOnMissingBean
	FencedWrites mongoLockFencedWrites(ObjectProvider<MongoOperations> templates, MongoLockStore store) {
		return new FencedWrites(templates.getIfUnique(() -> this.template), store);
	}

	@Bean(initMethod = "initialize")
	TtlIndexInitializer mongoLockTtlIndexInitializer() {
		return new TtlIndexInitializer(this.template, this.properties.collection(), this.properties.ttlIndex().mode(),
				this.properties.ttlIndex().retention());
	}

}
