package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for statements that run at the same time.
 */
class ConcurrencyTests {

	private static final int THREADS = 64;

	private static final int ROUNDS = 10;

	private static final List<Bson> INCREMENT = List
		.of(Updates.set("n", Document.parse("{$add: [{$ifNull: ['$n', 0]}, 1]}")));

	@ParameterizedTest
	@EnumSource
	void oneOfManyUpsertsInserts(UpsertRace upsertRace) throws Exception {
		try (EmbeddedMongo server = EmbeddedMongo.builder().upsertRace(upsertRace).start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			MongoCollection<Document> locks = client.getDatabase("test").getCollection("locks");
			for (int i = 0; i < ROUNDS; i++) {
				String id = "k" + i;
				List<Integer> numbers = together(() -> increment(locks, id));
				List<Integer> counted = numbers.stream().filter((n) -> n > 0).sorted().toList();
				assertThat(counted).isEqualTo(upTo(counted.size()));
				assertThat(locks.find(Filters.eq(id)).first()).containsEntry("n", counted.size());
				if (upsertRace == UpsertRace.RETRY) {
					assertThat(counted).hasSize(THREADS);
				}
			}
			assertThat(locks.countDocuments()).isEqualTo(ROUNDS);
		}
	}

	private static int increment(MongoCollection<Document> locks, String id) {
		try {
			return locks
				.findOneAndUpdate(Filters.eq(id), INCREMENT,
						new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER))
				.getInteger("n");
		}
		catch (MongoCommandException ex) {
			assertThat(ErrorCategory.fromErrorCode(ex.getErrorCode())).isEqualTo(ErrorCategory.DUPLICATE_KEY);
			return 0;
		}
	}

	@Test
	void updateCommandNeverLosesAnUpsertRace() throws Exception {
		try (EmbeddedMongo server = EmbeddedMongo.builder().upsertRace(UpsertRace.CLIENT_ERROR).start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			MongoCollection<Document> locks = client.getDatabase("test").getCollection("locks");
			List<Boolean> inserted = together(
					() -> locks.updateOne(Filters.eq("k"), INCREMENT, new UpdateOptions().upsert(true))
						.getUpsertedId() != null);
			assertThat(inserted).containsOnlyOnce(true);
			assertThat(locks.find().first()).containsEntry("n", THREADS);
		}
	}

	@Test
	void readersNeverSeeHalfAnUpdate() throws Exception {
		try (EmbeddedMongo server = EmbeddedMongo.start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			MongoCollection<Document> locks = client.getDatabase("test").getCollection("locks");
			locks.insertOne(Document.parse("{_id: 'k', a: 0, b: 0}"));
			List<Boolean> whole = together(() -> {
				for (int i = 0; i < ROUNDS; i++) {
					locks.updateOne(Filters.eq("k"), Updates.combine(Updates.inc("a", 1), Updates.inc("b", 1)));
					locks.updateOne(Filters.eq("k"), List.of(Updates.set("b", "$a"), Updates.set("c" + i, i)));
					locks.updateOne(Filters.eq("k"), Updates.unset("c" + i));
					Document seen = locks.find(Filters.eq("k")).first();
					if (!seen.get("a").equals(seen.get("b"))) {
						return false;
					}
				}
				return true;
			});
			assertThat(whole).containsOnly(true);
			assertThat(locks.find().first()).containsEntry("a", THREADS * ROUNDS);
		}
	}

	@Test
	void writesAndIndexesOfOneCollectionTakeTurns() throws Exception {
		try (EmbeddedMongo server = EmbeddedMongo.start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			MongoCollection<Document> locks = client.getDatabase("test").getCollection("locks");
			locks.insertOne(Document.parse("{_id: 'k', n: 0}"));
			IndexOptions unique = new IndexOptions().unique(true);
			AtomicInteger thread = new AtomicInteger();
			together(() -> {
				int number = thread.incrementAndGet();
				for (int i = 0; i < 10 * ROUNDS; i++) {
					if (number % 8 == 0) {
						locks.dropIndex(locks.createIndex(Indexes.ascending("n", "other" + number), unique));
					}
					locks.updateOne(Filters.eq("k"), Updates.inc("n", 1));
				}
				return number;
			});
			assertThat(locks.find().first()).containsEntry("n", THREADS * 10 * ROUNDS);
		}
	}

	private static List<Integer> upTo(int last) {
		return IntStream.rangeClosed(1, last).boxed().toList();
	}

	private static <T> List<T> together(Callable<T> action) throws InterruptedException, ExecutionException {
		CyclicBarrier start = new CyclicBarrier(THREADS);
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Future<T>> futures = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				futures.add(threads.submit(() -> {
					start.await();
					return action.call();
				}));
			}
			List<T> results = new ArrayList<>();
			for (Future<T> future : futures) {
				results.add(future.get());
			}
			return results;
		}
		finally {
			threads.shutdownNow();
		}
	}

}
