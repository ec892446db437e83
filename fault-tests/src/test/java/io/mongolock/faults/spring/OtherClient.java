package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import com.mongodb.client.MongoClient;
import org.bson.Document;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Another instance of the application: sees of the locks what the store has.
 */
final class OtherClient implements AutoCloseable {

	private final MongoClient mongo;

	private final MongoLockStore store;

	private final LockTemplate locks;

	OtherClient(MongoClient mongo) {
		this.mongo = mongo;
		this.store = HarnessClient.store(mongo);
		// It is not started, because tests look for threads that are left
		this.locks = new LockTemplate(this.store,
				new ClientOptions(new ConfiguredSettings(HarnessClient.settings(Harness.LONG, Duration.ZERO), Map.of()),
						new LockOwner("other", "1", "elsewhere", ProcessHandle.current().pid(), ""), LockClock.system(),
						List.of()));
	}

	/** The holder of a lock in the store, alive or not. */
	Optional<StoredHolder> holder(String key) {
		return this.store.find(key, Harness.LONG).flatMap((lock) -> lock.holders().stream().findFirst());
	}

	Optional<StoredLock> find(String key) {
		return this.store.find(key, Harness.LONG);
	}

	/** Whether a lock is taken in the store, asked without a claim. */
	boolean isTaken(String key) {
		return find(key).filter((lock) -> lock.holders().stream().anyMatch((holder) -> holder.isAlive(lock.now())))
			.isPresent();
	}

	Optional<LockHandle> claim(String key) {
		return this.locks.tryAcquire(LockRequest.of(key));
	}

	/** Whether another holds a lock, asked outside any transaction of the thread. */
	boolean seesHeld(String key) {
		return Daemon.supply(() -> {
			Optional<LockHandle> handle = claim(key);
			handle.ifPresent(LockHandle::close);
			return handle.isEmpty();
		}).join();
	}

	/** As if the lease had run out, and been granted to another since. */
	void steal(String key) {
		this.mongo.getDatabase(Harness.DATABASE).getCollection(Harness.COLLECTION).deleteOne(new Document("_id", key));
		occupy(key);
	}

	/** Take a free lock for a minute, without a client that keeps it. */
	void occupy(String key) {
		LeaseId lease = new LeaseId(key, UUID.randomUUID().toString());
		LockOwner owner = new LockOwner("other", "2", "elsewhere", 1, "main");
		this.store.acquire(Claim.of(lease, owner, Duration.ofMinutes(1)), Harness.LONG);
		if (holder(key).stream().noneMatch((holder) -> holder.leaseToken().equals(lease.leaseToken()))) {
			throw new IllegalStateException("Lock '" + key + "' is not free");
		}
	}

	@Override
	public void close() {
		this.locks.stop(Duration.ofSeconds(5));
	}

}
