package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.function.SingletonSupplier;

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
 * Keeps locks in the application's MongoDB. Its conditions hold for what it imports, too.
 */
@Configuration(proxyBeanMethods = false)
@DependsOn("mongoLockSettingsValidator") // says which property is wrong
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnMissingBean(LockStore.class)
@Import(ServerClockConfiguration.class)
class LockStoreConfiguration {

	/** The name of the bean of the store in MongoDB. */
	static final String STORE = "mongoLockStore";

	private static final Duration INDEX_INTERVAL = Duration.ofHours(1);

	private final MongoOperations template;

	private final MongoLockProperties properties;

	private final LockLocation location;

	LockStoreConfiguration(ListableBeanFactory beanFactory, MongoLockProperties properties, LockLifecycle lifecycle) {
		this.template = new LockDatabase(beanFactory, lifecycle).template(properties.mongoTemplate());
		this.properties = properties;
		this.location = new LockLocation(this.template, properties.collection());
	}

	// The first, so that the server is asked while all others are made
	@Bean
	TtlIndexWatch mongoLockTtlIndexWatch(LockSettingsValidator validator, ObjectProvider<LockExtension> extensions) {
		TtlIndex settings = this.properties.ttlIndex();
		TtlIndexInitializer index = new TtlIndexInitializer(this.template, this.properties.collection(),
				settings.mode(), settings.retention(), validator::longestLease);
		// Of the start: a factory may choose another database for a later thread
		Supplier<List<LockLocation>> others = SingletonSupplier.of(new Others(this.template, extensions));
		StoreCheck check = new StoreCheck(this.location, index::hasSeenNoCollation, others);
		check.begin();
		return new TtlIndexWatch(index, INDEX_INTERVAL, check);
	}

	@Bean(STORE)
	MongoLockStore mongoLockStore(ObjectProvider<StoreServers> servers) {
		StoreServers known = servers.getIfAvailable();
		return new MongoLockStore(this.template, this.properties.collection(), this.properties.keyPrefix(),
				(known != null) ? known : StoreServers.UNKNOWN, this.properties.notifications());
	}

	@Bean
	@Lazy // what operators look at asks for it
	LockLocation mongoLockLocation() {
		return this.location;
	}

	@Bean
	StartReport mongoLockStartReport(ConfiguredSettings configured, LockMethodVerifier verifier,
			ObjectProvider<LockExtension> extensions) {
		return new StartReport(this.location, configured, this.properties, verifier,
				new Others(this.template, extensions));
	}

	/** What else the application reads and writes. */
	private record Others(MongoOperations template,
			ObjectProvider<LockExtension> extensions) implements Supplier<List<LockLocation>> {

		@Override
		public List<LockLocation> get() {
			List<LockLocation> others = new ArrayList<>();
			for (LockExtension extension : this.extensions.orderedStream().toList()) {
				for (String collection : extension.collections()) {
					others.add(new LockLocation(this.template, collection));
				}
			}
			return others;
		}

	}

}
