package io.mongolock.documents;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.spi.StoreClient;

/**
 * One instance of an application that locks documents.
 */
final class DocumentLocksFixture implements AutoCloseable {

	static final LockSettings WAITING = LockSettings.builder()
		.waitTimeout(Duration.ofSeconds(20))
		.retryInterval(Duration.ofMillis(20))
		.build();

	private final GenericApplicationContext context;

	private final LockTemplate client;

	private final LockTemplate takeOvers;

	private final DocumentTransactions transactions = new DocumentTransactions();

	private final DocumentLockOperations documents;

	DocumentLocksFixture(String instance, MongoTemplate template, GenericApplicationContext context,
			LockListener... listeners) {
		this(instance, template, new MongoTemplate(template.getMongoDatabaseFactory()), context, listeners);
	}

	DocumentLocksFixture(String instance, MongoTemplate template, MongoTemplate outside,
			GenericApplicationContext context, LockListener... listeners) {
		this(instance, template, outside, LockClock.system(), context, listeners);
	}

	DocumentLocksFixture(String instance, MongoTemplate template, MongoTemplate outside, LockClock clock,
			GenericApplicationContext context, LockListener... listeners) {
		this(instance, template, outside, LockSettings.NONE, clock, context, listeners);
	}

	/**
	 * An instance with settings of its own.
	 */
	DocumentLocksFixture(String instance, MongoTemplate template, LockSettings settings) {
		this(instance, template, new MongoTemplate(template.getMongoDatabaseFactory()), settings, LockClock.system(),
				new GenericApplicationContext());
	}

	private DocumentLocksFixture(String instance, MongoTemplate template, MongoTemplate outside, LockSettings settings,
			LockClock clock, GenericApplicationContext context, LockListener... listeners) {
		this.context = context;
		if (!context.isActive()) {
			context.refresh();
		}
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		DocumentLockStore store = new DocumentLockStore(outside, "lock", "locks", LockClock.system());
		ClientOptions options = new ClientOptions(new ConfiguredSettings(settings, Map.of()),
				new LockOwner("desk", instance, "host", 1, "thread"), clock, List.of(listeners))
			.withLeakDetection(LeakDetection.OFF)
			.withHandOver(new HandOver(Duration.ZERO, 0));
		this.client = new LockTemplate(store, options);
		this.takeOvers = new LockTemplate(store, options);
		this.documents = new DocumentLocks(template, store,
				new StoreClient(store, this.client, (key) -> 0, this.client::broken), () -> this.takeOvers, clock,
				Duration.ofSeconds(5), this.transactions, context);
	}

	/**
	 * Have plain saves looked at, as the auto-configuration does.
	 */
	static void guardPlainSaves(GenericApplicationContext context, MongoTemplate template,
			Supplier<DocumentLocksFixture> fixture) {
		MongoMappingContext mapping = (MongoMappingContext) template.getConverter().getMappingContext();
		context.registerBean(UnlockedSaveGuard.class,
				() -> new UnlockedSaveGuard(provider(() -> fixture.get().documents()), provider(() -> mapping)));
	}

	static <T> ObjectProvider<T> provider(Supplier<T> bean) {
		return new ObjectProvider<>() {

			@Override
			public Stream<T> stream() {
				return Stream.of(bean.get());
			}

			@Override
			public Stream<T> orderedStream() {
				return stream();
			}

		};
	}

	DocumentLockOperations documents() {
		return this.documents;
	}

	DocumentTransactions transactions() {
		return this.transactions;
	}

	LockTemplate client() {
		return this.client;
	}

	@Override
	public void close() {
		this.client.stop(Duration.ofSeconds(5));
		this.takeOvers.stop(Duration.ofSeconds(5));
		this.context.close();
	}

}
