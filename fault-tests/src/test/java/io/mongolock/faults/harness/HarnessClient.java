package io.mongolock.faults.harness;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.LockDefaults;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * One client of the locks with a connection of its own, as an application would have it.
 */
public final class HarnessClient implements AutoCloseable {

	private final RecordingLockListener told = new RecordingLockListener();

	private final MongoClient mongo;

	private final LockTemplate locks;

	public HarnessClient(String connectionString, LockSettings settings, LockClock clock) {
		this(MongoClients.create(connectionString), settings, clock);
	}

	public HarnessClient(MongoClient mongo, LockSettings settings, LockClock clock) {
		this.mongo = mongo;
		this.locks = locks(store(mongo), settings, clock, this.told);
	}

	public static MongoLockStore store(MongoClient mongo) {
		MongoTemplate template = new MongoTemplate(mongo, Harness.DATABASE);
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		return new MongoLockStore(template, Harness.COLLECTION, "");
	}

	public static LockTemplate locks(LockStore store, LockSettings settings, LockClock clock,
			LockListener... listeners) {
		LockOwner owner = new LockOwner("rows", "1", InetAddress.getLoopbackAddress().getHostName(),
				ProcessHandle.current().pid(), "");
		LockTemplate locks = new LockTemplate(store, new LockDefaults(settings, Map.of()), owner, clock,
				List.of(listeners));
		locks.start();
		return locks;
	}

	public static LockSettings settings(Duration ttl, Duration wait) {
		return LockSettings.builder().ttl(ttl).waitTimeout(wait).build();
	}

	// Use the connection once, so that the next request finds all ready
	public HarnessClient warm() {
		this.locks.acquire(LockRequest.builder("warm up").ttl(Harness.LONG).waitTimeout(Harness.LONG).build()).close();
		return this;
	}

	public LockHandle acquire() {
		return this.locks.acquire(LockRequest.of(Harness.KEY));
	}

	public LockHandle acquireUnrenewed() {
		return this.locks.acquire(LockRequest.builder(Harness.KEY).autoRenew(false).build());
	}

	public CompletableFuture<LockHandle> acquireAsync() {
		return this.locks.acquireAsync(LockRequest.of(Harness.KEY));
	}

	// Asks once
	public Optional<LockHandle> tryAcquire() {
		return this.locks.tryAcquire(LockRequest.builder(Harness.KEY).waitTimeout(Duration.ZERO).build());
	}

	public LockTemplate locks() {
		return this.locks;
	}

	public MongoClient mongo() {
		return this.mongo;
	}

	public RecordingLockListener told() {
		return this.told;
	}

	@Override
	public void close() {
		this.locks.stop(Duration.ofMillis(500));
		this.mongo.close();
	}

}
