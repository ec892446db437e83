package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
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
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.Notifications;
import io.mongolock.store.mongo.ServerClockWatch;

/**
 * One client of the locks with a connection of its own, as an application would have it.
 */
public record HarnessClient(MongoClient mongo, LockTemplate locks,
		RecordingLockListener heard) implements AutoCloseable {

	public static HarnessClient of(MongoClient mongo, LockSettings settings, LockClock clock) {
		RecordingLockListener heard = new RecordingLockListener();
		return new HarnessClient(mongo, locks(store(mongo), settings, clock, heard), heard);
	}

	// Hears of the servers and their elections, as a client of Spring Boot does
	public static HarnessClient ofSet(String connectionString, LockSettings settings, LockClock clock) {
		ServerClockWatch watch = new ServerClockWatch(clock, Duration.ofSeconds(6));
		MongoClient mongo = connect(connectionString, watch);
		RecordingLockListener heard = new RecordingLockListener();
		return new HarnessClient(mongo, locks(store(mongo, watch), settings, clock, heard), heard);
	}

	public static MongoClient connect(String connectionString, ServerClockWatch watch) {
		MongoClientSettings.Builder driver = MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(connectionString));
		watch.attachTo(driver);
		return MongoClients.create(driver.build());
	}

	// Hears of elections, and so repeats releases that they may have taken back
	public static MongoLockStore store(MongoClient mongo, ServerClockWatch watch) {
		return new MongoLockStore(template(mongo), Harness.COLLECTION, "", watch, Notifications.AUTO);
	}

	public static MongoLockStore store(MongoClient mongo) {
		return new MongoLockStore(template(mongo), Harness.COLLECTION, "");
	}

	// Outside all transactions
	public static MongoTemplate template(MongoClient mongo) {
		MongoTemplate template = new MongoTemplate(mongo, Harness.DATABASE);
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		return template;
	}

	public static LockTemplate locks(LockStore store, LockSettings settings, LockClock clock,
			LockListener... listeners) {
		return started(new LockTemplate(store,
				new ClientOptions(new ConfiguredSettings(settings, Map.of()), owner(), clock, List.of(listeners))));
	}

	public static LockTemplate locks(LockStore store, LockSettings settings, HandOver handOver, Duration placeTtl,
			LockListener... listeners) {
		return started(new LockTemplate(store, new ClientOptions(new ConfiguredSettings(settings, Map.of()), owner(),
				LockClock.system(), List.of(listeners))
			.withHandOver(handOver)
			.withPlaceTtl(placeTtl)));
	}

	private static LockTemplate started(LockTemplate locks) {
		locks.start();
		return locks;
	}

	private static LockOwner owner() {
		return new LockOwner("rows", "1", "localhost", ProcessHandle.current().pid(), "");
	}

	public static LockSettings settings(Duration ttl, Duration renewInterval, Duration wait) {
		return LockSettings.builder().ttl(ttl).renewInterval(renewInterval).waitTimeout(wait).build();
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

	@Override
	public void close() {
		this.locks.stop(Duration.ofMillis(500));
		this.mongo.close();
	}

}
