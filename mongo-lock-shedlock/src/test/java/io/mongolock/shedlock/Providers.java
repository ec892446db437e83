package io.mongolock.shedlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import org.awaitility.Awaitility;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;

/**
 * Providers on one server, each as that of an instance of its own.
 */
final class Providers implements AutoCloseable {

	static final Duration LONG = Duration.ofMinutes(5);

	private static final String SHED_LOCK = "shedLock";

	private static final String LOCKS = "shedlock_locks";

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final LockOwner OWNER = new LockOwner("shop", "shop-1", "host", 1, "main");

	private final MongoClient client;

	private final Duration moment;

	private final List<LockTemplate> clients = new ArrayList<>();

	/**
	 * Create without locks.
	 * @param moment a time to wait for, in which that server surely answers
	 */
	Providers(String uri, Duration moment) {
		this.client = MongoClients.create(uri);
		this.moment = moment;
		reset();
	}

	Duration moment() {
		return this.moment;
	}

	ExtensibleLockProvider own() {
		LockStore store = store();
		return own(new LockTemplate(store, new ClientOptions(new ConfiguredSettings(LockSettings.NONE, Map.of(), null),
				OWNER, LockClock.system(), List.of())), store);
	}

	ExtensibleLockProvider own(LockTemplate client, LockStore store) {
		this.clients.add(client);
		return new LeaseLockProvider(client, new ExtendedLeases(() -> store, TIMEOUT, ConfiguredSettings.NONE),
				TIMEOUT);
	}

	ExtensibleLockProvider both() {
		return new BothLocks(new ShedLockDocuments(TestTemplates.template(this.client), SHED_LOCK, TIMEOUT, OWNER),
				own());
	}

	ExtensibleLockProvider shedLock() {
		return new MongoLockProvider(database());
	}

	LockStore store() {
		return new MongoLockStore(TestTemplates.template(this.client), LOCKS, "");
	}

	MongoDatabase database() {
		return this.client.getDatabase(TestTemplates.DATABASE);
	}

	/**
	 * Stop all clients, and begin without locks.
	 */
	void reset() {
		this.clients.forEach((each) -> each.stop(Duration.ofSeconds(5)));
		this.clients.clear();
		database().getCollection(LOCKS).drop();
		database().getCollection(SHED_LOCK).drop();
		database().getCollection("runs").drop();
	}

	@Override
	public void close() {
		reset();
		this.client.close();
	}

	static Optional<SimpleLock> lock(ExtensibleLockProvider provider, String name, Duration most, Duration least) {
		return provider.lock(configuration(name, most, least));
	}

	static LockConfiguration configuration(String name, Duration most, Duration least) {
		return new LockConfiguration(ClockProvider.now(), name, most, least);
	}

	static SimpleLock awaitLock(ExtensibleLockProvider provider, String name) {
		return await(() -> lock(provider, name, LONG, Duration.ZERO));
	}

	/**
	 * A lock for a time that is to run out. A request for so short a lock has little time
	 * itself, so that a busy machine may be too slow for it: it is asked again then.
	 */
	static SimpleLock lockBriefly(ExtensibleLockProvider provider, String name, Duration most) {
		return await(() -> {
			try {
				return lock(provider, name, most, Duration.ZERO);
			}
			catch (LockStoreException ex) {
				return Optional.empty();
			}
		});
	}

	/**
	 * A lock that was extended before its first time was over, as a witness of the same
	 * time shows: what runs out on a busy machine before it is extended is locked again.
	 */
	static SimpleLock lockAndExtend(ExtensibleLockProvider provider, String name, String witness, Duration first) {
		return await(() -> {
			SimpleLock lock = lockBriefly(provider, name, first);
			lockBriefly(provider, witness, first);
			return lock.extend(LONG, Duration.ZERO);
		});
	}

	private static SimpleLock await(Callable<Optional<SimpleLock>> locking) {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.until(locking, Optional::isPresent)
			.orElseThrow();
	}

}
