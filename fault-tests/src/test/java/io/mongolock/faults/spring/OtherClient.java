package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.LockDefaults;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Another instance of the application, with connections of its own: sees of the locks
 * what the store has.
 */
final class OtherClient implements AutoCloseable {

	static final String DATABASE = "test";

	static final String COLLECTION = "locks";

	private static final Duration LONG = Duration.ofSeconds(10);

	private final MongoClient client;

	private final MongoTemplate template;

	private final MongoLockStore store;

	private final LockTemplate locks;

	OtherClient(String uri) {
		this.client = MongoClients.create(uri);
		this.template = new MongoTemplate(this.client, DATABASE);
		this.store = new MongoLockStore(this.template, COLLECTION, "");
		this.locks = new LockTemplate(this.store, LockDefaults.NONE,
				new LockOwner("other", "1", "elsewhere", ProcessHandle.current().pid(), ""), LockClock.system(),
				List.of());
	}

	/**
	 * Who holds a lock in the store, alive or not.
	 * @param key the key
	 * @return the holder
	 */
	Optional<StoredHolder> holder(String key) {
		return this.store.find(key, LONG).flatMap((lock) -> lock.holders().stream().findFirst());
	}

	/**
	 * Ask for a lock.
	 * @param key the key
	 * @param wait how long to wait for it
	 * @return its handle, or empty if another holds it to the end of the wait
	 */
	Optional<LockHandle> claim(String key, Duration wait) {
		return this.locks.tryAcquire(LockRequest.builder(key).waitTimeout(wait).build());
	}

	/**
	 * Ask for a lock once, and release it, outside any transaction of the thread.
	 * @param key the key
	 * @return whether another holds it
	 */
	boolean seesHeld(String key) {
		return CompletableFuture.supplyAsync(() -> {
			Optional<LockHandle> handle = claim(key, Duration.ZERO);
			handle.ifPresent(LockHandle::close);
			return handle.isEmpty();
		}).join();
	}

	/**
	 * Take a lock away from its holder: as if it had lapsed, and been granted to another
	 * since.
	 * @param key the key
	 */
	void steal(String key) {
		this.template.getCollection(COLLECTION).deleteOne(new Document("_id", key));
		occupy(key);
	}

	/**
	 * Take a free lock for a minute, without a client that keeps it.
	 * @param key the key
	 */
	void occupy(String key) {
		LeaseId lease = new LeaseId(key, UUID.randomUUID().toString());
		LockOwner owner = new LockOwner("other", "2", "elsewhere", 1, "main");
		Claim claim = Claim.of(lease, owner, Duration.ofMinutes(1));
		this.store.acquire(claim, LONG);
		if (holder(key).stream().noneMatch((holder) -> holder.leaseToken().equals(lease.leaseToken()))) {
			throw new IllegalStateException("Lock '" + key + "' is not free");
		}
	}

	MongoClient mongo() {
		return this.client;
	}

	MongoTemplate template() {
		return this.template;
	}

	@Override
	public void close() {
		this.locks.stop(Duration.ofSeconds(5));
		this.client.close();
	}

}
