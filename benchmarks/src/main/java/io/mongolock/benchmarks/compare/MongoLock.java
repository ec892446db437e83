package io.mongolock.benchmarks.compare;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import com.mongodb.client.MongoClient;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * The locks of this library, with their defaults but for the wait and what lingers.
 */
final class MongoLock implements Competitor {

	private final CommandCount commands = new CommandCount();

	private final MongoClient client;

	private final LockTemplate locks;

	MongoLock(String uri) {
		this(uri, Duration.ZERO);
	}

	/**
	 * Connect.
	 * @param linger how long a lock stays where it was used
	 */
	MongoLock(String uri, Duration linger) {
		this.client = this.commands.connect(uri);
		MongoTemplate template = new MongoTemplate(this.client, CommandCount.DATABASE);
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		LockSettings settings = LockSettings.builder().waitTimeout(Duration.ofMinutes(5)).linger(linger).build();
		this.locks = new LockTemplate(new MongoLockStore(template, "locks", ""),
				new ClientOptions(new ConfiguredSettings(settings, Map.of()),
						new LockOwner("benchmark", "1", "localhost", ProcessHandle.current().pid(), ""),
						LockClock.system(), List.of()));
		this.locks.start();
	}

	@Override
	public Held lock(String key) {
		LockHandle handle = this.locks.acquire(LockRequest.of(key));
		return handle::close;
	}

	@Override
	public long requests() {
		return this.commands.get();
	}

	@Override
	public void close() {
		this.locks.stop(Duration.ofSeconds(2));
		this.client.close();
	}

}
