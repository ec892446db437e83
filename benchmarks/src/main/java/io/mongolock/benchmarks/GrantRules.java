package io.mongolock.benchmarks;

import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Objects;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.mongo.GrantingStore;

/**
 * Whether a release grants what a claim would: what is measured has to do the work.
 */
final class GrantRules {

	private static final String KEY = "rules";

	private static final int TTL = 6_000;

	private final MongoCollection<Document> locks;

	private final GrantingStore store;

	GrantRules(MongoTemplate template, GrantingStore store) {
		this.locks = template.getCollection(GrantWaiter.COLLECTION).withWriteConcern(WriteConcern.MAJORITY);
		this.store = store;
	}

	/**
	 * Try it.
	 * @throws IllegalStateException if it does anything else
	 */
	void check() {
		Document own = entry("own", 1, 0);
		release(List.of(own), List.of(), List.of(), List.of());
		release(List.of(own), List.of(entry("a", 1, 0)), List.of("a"), List.of());
		release(List.of(own), List.of(entry("a", 1, 1_000), entry("b", 1, 0)), List.of("a"), List.of("b"));
		// The place of the first does not count, and stays, or it has left the queue long
		// ago
		release(List.of(own), List.of(entry("a", 1, 2 * TTL), entry("b", 1, 0)), List.of("b"), List.of("a"));
		release(List.of(own), List.of(entry("a", 1, 9 * TTL), entry("b", 1, 0), entry("c", 1, 0)), List.of("b"),
				List.of("c"));
		release(List.of(own), List.of(entry("a", 1, 2 * TTL)), List.of(), List.of("a"));
		// Another holder, alive or not
		release(List.of(entry("x", 1, 0), own), List.of(entry("a", 1, 0)), List.of("x"), List.of("a"));
		release(List.of(entry("x", 1, 2 * TTL), own), List.of(entry("a", 1, 0)), List.of("a"), List.of());
		release(List.of(entry("x", 3, 0), own), List.of(entry("a", 3, 0), entry("b", 3, 0)), List.of("x", "a"),
				List.of("b"));
		release(List.of(entry("x", 3, 0), own), List.of(entry("a", 1, 0)), List.of("x"), List.of("a"));
		// Not a holder, and asked again
		release(List.of(entry("x", 1, 0)), List.of(entry("a", 1, 0)), List.of("x"), List.of("a"));
		release(List.of(), List.of(entry("a", 1, 0)), List.of(), List.of("a"));
		this.locks.deleteOne(Filters.eq(KEY));
	}

	private void release(List<Document> holders, List<Document> queue, List<String> holdersAfter,
			List<String> queueAfter) {
		this.locks.deleteOne(Filters.eq(KEY));
		this.locks.insertOne(new Document("_id", KEY).append("holders", holders)
			.append("queue", queue)
			.append("fence", 1L)
			.append("touchedAt", new Date()));
		for (int i = 0; i < 2; i++) {
			ReleaseAnswer answer = this.store.release(new LeaseId(KEY, "own"), WriteConcern.MAJORITY);
			Document lock = Objects.requireNonNull(this.locks.find(Filters.eq(KEY)).first());
			boolean ended = i == 0 && tokens(holders).contains("own");
			boolean granted = !tokens(holders).containsAll(holdersAfter);
			if (answer.ended() != ended || !tokens(lock, "holders").equals(holdersAfter)
					|| !tokens(lock, "queue").equals(queueAfter) || lock.getLong("fence") > 1 != granted
					|| lock.containsKey("granted") != granted) {
				throw new IllegalStateException("A release of " + tokens(holders) + " for " + tokens(queue)
						+ " made it " + lock + " and not " + Arrays.asList(holdersAfter, queueAfter));
			}
		}
	}

	private static Document entry(String token, int limit, long age) {
		return new Document("token", token).append("limit", limit)
			.append("owner", new Document("application", "$benchmark"))
			.append("renewedAt", new Date(System.currentTimeMillis() - age))
			.append("ttl", (long) TTL);
	}

	private static List<String> tokens(Document lock, String entries) {
		return tokens(lock.getList(entries, Document.class));
	}

	private static List<String> tokens(List<Document> entries) {
		return entries.stream().map((entry) -> entry.getString("token")).toList();
	}

}
