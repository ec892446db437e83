package io.mongolock.sample.orders;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import org.bson.Document;

/**
 * Locks of applications that do not run, put into the store as it keeps them.
 */
final class SeededLocks implements AutoCloseable {

	private static final List<String> INSTANCES = List.of("3f2a91bc", "77e0d1aa", "c01d4e5f");

	private final MongoClient client;

	private final MongoCollection<Document> locks;

	private final Set<String> keys = new HashSet<>();

	private long fence = 1_838_407_657_236_480L;

	SeededLocks(String uri, String database) {
		this.client = MongoClients.create(uri);
		this.locks = this.client.getDatabase(database).getCollection("locks");
	}

	/**
	 * Hold a lock.
	 * @param key its key
	 * @param heldFor since when
	 * @param waiting how many wait for it
	 */
	void hold(String key, Duration heldFor, int waiting) {
		this.locks.insertOne(document(key, heldFor, waiting));
	}

	/**
	 * Have another take over a lock.
	 * @param key its key
	 */
	void takeOver(String key) {
		this.locks.replaceOne(new Document("_id", key), document(key, Duration.ZERO, 0));
	}

	/**
	 * Hold many.
	 * @param count how many
	 */
	void hold(int count) {
		this.locks.insertMany(IntStream.range(0, count)
			.mapToObj((i) -> document("seed:%05d".formatted(i), Duration.ofSeconds(i), 0))
			.toList());
	}

	boolean isHeld(String key) {
		Document lock = this.locks.find(new Document("_id", key)).first();
		return lock != null && !lock.getList("holders", Document.class).isEmpty();
	}

	/**
	 * Delete what was put in, also if it was released meanwhile.
	 */
	void clear() {
		this.locks.deleteMany(Filters.in("_id", this.keys));
		this.keys.clear();
	}

	private Document document(String key, Duration heldFor, int waiting) {
		this.keys.add(key);
		this.fence += 1024;
		Date now = new Date();
		Document holder = new Document("token", "seed").append("fence", this.fence)
			.append("limit", 1)
			.append("owner", owner((int) (this.fence / 1024 % INSTANCES.size())))
			.append("acquiredAt", Date.from(Instant.now().minus(heldFor)))
			.append("renewedAt", now)
			.append("ttl", 600_000L)
			.append("note", "charging <card>");
		List<Document> line = IntStream.range(0, waiting)
			.mapToObj((i) -> new Document("token", "waits " + i).append("limit", 1)
				.append("owner", owner(i))
				.append("renewedAt", now)
				.append("ttl", 600_000L))
			.toList();
		Document before = new Document(holder).append("token", "before")
			.append("fence", this.fence - 512)
			.append("owner", owner(7))
			.append("renewedAt", Date.from(Instant.now().minus(heldFor).minusSeconds(30)));
		return new Document("_id", key).append("holders", List.of(holder))
			.append("queue", line)
			.append("previous", (waiting > 0) ? List.of(before) : List.of())
			.append("fence", this.fence)
			.append("touchedAt", now);
	}

	private static Document owner(int number) {
		String instance = INSTANCES.get(number % INSTANCES.size());
		return new Document("application", "shop").append("instance", instance)
			.append("host", "node-" + number)
			.append("pid", 4_000L + number)
			.append("thread", "http-nio-8080-exec-" + number);
	}

	@Override
	public void close() {
		this.client.close();
	}

}
