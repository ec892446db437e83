package io.mongolock.autoconfigure;

import java.time.Duration;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockOperations;
import io.mongolock.autoconfigure.MongoLockProperties.TtlIndex;
import io.mongolock.core.LockDefaults;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.mongodb.SequenceCallback;
import io.mongolock.mongodb.WriteConcernHints;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoreServers;
import io.mongolock.store.mongo.LockLocation;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TtlIndexInitializer;
import io.mongolock.store.mongo.TtlIndexWatch;

/**
 * Keeps locks in the application's MongoDB.
 */
@Configuration(proxyBeanMethods = false)
@DependsOn("mongoLockSettingsValidator") // says which property is wrong
@ConditionalOnSetting(name = "enabled", byDefault = true)
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnMissingBean({ LockStore.class, LockOperations.class })
class LockStoreConfiguration {

	private static final Duration INDEX_INTERVAL = Duration.ofHours(1);

	private final MongoOperations template;

	private final ApplicationTemplate application;

	private final MongoLockProperties properties;

	LockStoreConfiguration(ListableBeanFactory beanFactory, MongoLockProperties properties) {
		this.template = new LockDatabase(beanFactory).template(properties.mongoTemplate());
		this.application = new ApplicationTemplate(beanFactory, properties.mongoTemplate());
		this.properties = properties;
	}

	@Bean
	MongoLockStore mongoLockStore(ObjectProvider<StoreServers> servers) {
		return new MongoLockStore(this.template, this.properties.collection(), this.properties.keyPrefix(),
				servers.getIfAvailable(() -> StoreServers.UNKNOWN), this.properties.notifications());
	}

	@Bean
	@Lazy // where it is not clear which template it is, only those fail who ask for it
	@ConditionalOnMissingBean
	FencedWrites mongoLockFencedWrites(MongoLockStore store) {
		return FencedWrites.of(this.application.get("FencedWrites", "FencedWrites.of(template, store)"), store);
	}

	@Bean
	SmartInitializingSingleton mongoLockWriteConcernHint() {
		return () -> this.application.find().ifPresent(new WriteConcernHints()::look);
	}

	@Bean
	LockLocation mongoLockLocation() {
		return new LockLocation(this.template, this.properties.collection());
	}

	@Bean
	StartReport mongoLockStartReport(LockLocation location, LockDefaults defaults, LockMethodVerifier verifier,
			ObjectProvider<SequenceCallback> numbered) {
		LockLocation sequences = new LockLocation(this.template, this.properties.sequenceCollection());
		return new StartReport(location, defaults, this.properties, verifier::guardedMethods,
				() -> numbered.stream().filter(SequenceCallback::isUsed).map((used) -> sequences).findAny());
	}

	@Bean
	TtlIndexWatch mongoLockTtlIndexWatch() {
		TtlIndex settings = this.properties.ttlIndex();
		return new TtlIndexWatch(new TtlIndexInitializer(this.template, this.properties.collection(), settings.mode(),
				settings.retention()), INDEX_INTERVAL);
	}

}
