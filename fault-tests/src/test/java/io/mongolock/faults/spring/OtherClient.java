package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.LockDefaults;
import io.mongolock.client.LockTemplate;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Another instance of the application: sees what the store says.
 */
final class OtherClient implements AutoCloseable {

	private final MongoClient client;

	private final MongoTemplate template;

	private final LockTemplate locks;

	OtherClient(String uri, String database) {
		this.client = MongoClients.create(uri);
		this.template = new MongoTemplate(this.client, database);
		this.locks = new LockTemplate(new MongoLockStore(this.template, "locks", ""), LockDefaults.NONE,
				new LockOwner("other", "1", "host", 1, ""), LockClock.system(), List.of());
	}

	boolean isFree(String key) {
		return this.locks.tryAcquire(LockRequest.of(key)).map((handle) -> {
			handle.close();
			return true;
		}).orElse(false);
	}

	LockHandle hold(String key) {
		return this.locks.acquire(LockRequest.of(key));
	}

	/**
	 * Delete what is stored of a lock: whoever holds it loses it.
	 * @param key its key
	 */
	void forget(String key) {
		collection().deleteOne(new Document("_id", key));
	}

	Document stored(String key) {
		return collection().find(new Document("_id", key)).first();
	}

	MongoCollection<Document> collection() {
		return collection("locks");
	}

	MongoCollection<Document> collection(String name) {
		return this.template.getCollection(name);
	}

	@Override
	public void close() {
		this.locks.stop(Duration.ofSeconds(5));
		this.client.close();
	}

}
