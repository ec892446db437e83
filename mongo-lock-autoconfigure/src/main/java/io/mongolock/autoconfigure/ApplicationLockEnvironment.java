package io.mongolock.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.health.WriteProof;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.LockStartupException;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.LockStore;

/**
 * Opens clients for the stores of modules. The clients end with the application.
 */
record ApplicationLockEnvironment(ListableBeanFactory beanFactory, MongoLockProperties properties,
		ConfiguredSettings configured, LockOwner owner, LockClock clock, ObjectProvider<LockListener> listeners,
		LockLifecycle lifecycle) implements LockEnvironment {

	private static final HandOver NEVER = new HandOver(Duration.ZERO, 0);

	@Override
	public StoreClient open(LockStore store) {
		ConfiguredSettings lasting = new ConfiguredSettings(this.configured.global(), this.configured.byName(), null);
		// Writes to other stores do not prove that the lock collection is writable
		List<LockListener> ofOthers = this.listeners.orderedStream()
			.filter((listener) -> !(listener instanceof WriteProof))
			.toList();
		LockTemplate client = new LockTemplate(store,
				new ClientOptions(lasting, this.owner, this.clock, ofOthers)
					.withLeakDetection(this.properties.leakDetection())
					.withOnDeadlock(this.properties.onDeadlock())
					.withHandOver(NEVER)
					.withPlaceTtl(this.properties.placeTtl())
					.withMaxPlaces(this.properties.maxPlaces()));
		this.lifecycle.add(client, this.clock, this.properties.shutdownTimeout());
		return new StoreClient(store, client, client::waiting, client::broken);
	}

	@Override
	public MongoOperations template() {
		return new LockDatabase(this.beanFactory, this.lifecycle).template(this.properties.mongoTemplate());
	}

	@Override
	public @Nullable InstantSource localClock() {
		LockStore store = this.beanFactory.getBeanProvider(LockStore.class).getIfAvailable();
		if (store != null && store.localClock().isEmpty()
				&& !this.beanFactory.containsBean(LockStoreConfiguration.STORE)) {
			throw new LockStartupException(
					"The application's own LockStore bean, " + store.getClass().getName()
							+ ", keeps the locks, but modules keep their records in another store.",
					"Remove the LockStore bean. If this bean keeps its locks in MongoDB, set mongo-lock.mongo-template "
							+ "and mongo-lock.collection instead. Or remove the modules that keep records, such as "
							+ "mongo-lock-jobs.");
		}
		return (store != null) ? store.localClock().orElse(null) : null;
	}

	@Override
	public String collection() {
		return this.properties.collection();
	}

	@Override
	public String keyPrefix() {
		return this.properties.keyPrefix();
	}

	@Override
	public Duration operationTimeout() {
		return this.configured.terms().operationTimeout();
	}

}
