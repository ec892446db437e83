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
 * Keeps locks in the application's MongoDB. Its conditions also apply to all that it
 * imports.
 */
@Configuration(proxyBeanMethods = false)
@DependsOn("mongoLockSettingsValidator") // that bean names the wrong property
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnMissingBean(LockStore.class)
@Import(ServerClockConfiguration.class)
class LockStoreConfiguration {

	/** The bean name of the store in MongoDB. */
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

	// Declared first, so that the server works on its request while the other beans are
	// made
	@Bean
	TtlIndexWatch mongoLockTtlIndexWatch(LockSettingsValidator validator, ObjectProvider<LockExtension> extensions) {
		TtlIndex settings = this.properties.ttlIndex();
		TtlIndexInitializer index = new TtlIndexInitializer(this.template, this.properties.collection(),
				settings.mode(), settings.retention(), validator::longestLease);
		// Resolved on the thread of the start, because a factory may choose another
		// database for another thread
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
	@Lazy // needed only by operators' views
	LockLocation mongoLockLocation() {
		return this.location;
	}

	@Bean
	StartReport mongoLockStartReport(ConfiguredSettings configured, LockMethodVerifier verifier,
			ObjectProvider<LockExtension> extensions) {
		return new StartReport(this.location, configured, this.properties, verifier,
				new Others(this.template, extensions));
	}

	/** The other collections that the application reads and writes. */
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
