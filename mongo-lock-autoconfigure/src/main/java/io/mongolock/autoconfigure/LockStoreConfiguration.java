package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockOperations;
import io.mongolock.autoconfigure.MongoLockProperties.TtlIndex;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.spi.LockExtension;
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

	/** The name of the bean of the store in MongoDB. */
	static final String STORE = "mongoLockStore";

	private static final Duration INDEX_INTERVAL = Duration.ofHours(1);

	private final MongoOperations template;

	private final MongoLockProperties properties;

	LockStoreConfiguration(ListableBeanFactory beanFactory, MongoLockProperties properties, LockLifecycle lifecycle) {
		this.template = new LockDatabase(beanFactory, lifecycle).template(properties.mongoTemplate());
		this.properties = properties;
	}

	// The first, so that the server is asked while all others are made
	@Bean
	TtlIndexWatch mongoLockTtlIndexWatch(LockSettingsValidator validator, LockLocation location,
			ObjectProvider<LockExtension> extensions) {
		TtlIndex settings = this.properties.ttlIndex();
		TtlIndexInitializer index = new TtlIndexInitializer(this.template, this.properties.collection(),
				settings.mode(), settings.retention(), validator::longestLease);
		// Of the start: a factory may choose another database for a later thread
		SingletonSupplier<List<LockLocation>> others = SingletonSupplier.of(() -> others(extensions));
		StoreCheck check = new StoreCheck(location, index::hasSeenNoCollation, others::obtain);
		check.begin();
		return new TtlIndexWatch(index, INDEX_INTERVAL, check);
	}

	@Bean(STORE)
	MongoLockStore mongoLockStore(ObjectProvider<StoreServers> servers) {
		return new MongoLockStore(this.template, this.properties.collection(), this.properties.keyPrefix(),
				servers.getIfAvailable(() -> StoreServers.UNKNOWN), this.properties.notifications());
	}

	@Bean
	LockLocation mongoLockLocation() {
		return new LockLocation(this.template, this.properties.collection());
	}

	@Bean
	StartReport mongoLockStartReport(LockLocation location, ConfiguredSettings configured, LockMethodVerifier verifier,
			ObjectProvider<LockExtension> extensions) {
		return new StartReport(location, configured, this.properties, verifier::guardedMethods,
				() -> others(extensions), verifier::warnOfSelfCalls);
	}

	private List<LockLocation> others(ObjectProvider<LockExtension> extensions) {
		return extensions.orderedStream()
			.flatMap((extension) -> extension.collections().stream())
			.map((collection) -> new LockLocation(this.template, collection))
			.toList();
	}

}
