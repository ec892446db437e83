package io.mongolock.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ManualClock;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The model of {@link InMemoryLockStore} and the statements of {@link MongoLockStore}
 * mean the same: random requests get equal answers and leave equal locks.
 */
class ModelAgreementTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private static final List<String> TOKENS = List.of("a", "b", "c", "$$NOW", "$holders", "d", "e", "f", "g", "h", "i",
			"j");

	private static final List<Integer> LIMITS = List.of(1, 1, 2, 3, Integer.MAX_VALUE);

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void randomRequestsGetEqualAnswers(long seed) {
		Random random = new Random(seed);
		ManualClock clock = new ManualClock();
		LockStore model = new InMemoryLockStore(clock);
		try (EmbeddedMongo server = EmbeddedMongo.builder().clock(clock).start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			LockStore store = new MongoLockStore(TestTemplates.template(client), "locks", "");
			for (int step = 0; step < 250; step++) {
				clock.advance(Duration.ofMillis(random.nextInt(15)));
				String key = "key" + random.nextInt(2);
				Function<LockStore, Object> request = request(random, key);
				assertThat(request.apply(store)).as("step %d", step).isEqualTo(request.apply(model));
				assertThat(store.find(key, TIMEOUT)).as("step %d", step).isEqualTo(model.find(key, TIMEOUT));
			}
			assertThat(store.list(5, TIMEOUT)).isEqualTo(model.list(5, TIMEOUT));
		}
	}

	private static Function<LockStore, Object> request(Random random, String key) {
		LeaseId id = new LeaseId(key, one(random, TOKENS));
		return switch (random.nextInt(15)) {
			case 0 -> (store) -> store.renew(id, TIMEOUT);
			case 1 -> (store) -> store.release(id, TIMEOUT);
			case 2 -> releaseGrant(random.nextInt(2), id);
			case 3 -> (store) -> store.leave(id, TIMEOUT);
			case 4 ->
				(store) -> store.renewAll(TOKENS.stream().map((token) -> new LeaseId(key, token)).toList(), TIMEOUT);
			case 5 -> (store) -> store.refreshAll(inBoth(id), TIMEOUT);
			// One command for a single place, which shows nothing if that is gone
			case 13 -> (store) -> store.refreshAll(List.of(id), TIMEOUT)
				.stream()
				.filter((lock) -> lock.queue().stream().anyMatch((place) -> place.leaseToken().equals(id.leaseToken())))
				.toList();
			case 14 -> (store) -> store.lookAll(inBoth(id), TIMEOUT);
			case 6 ->
				(store) -> store.leaveAll(TOKENS.stream().map((token) -> new LeaseId(key, token)).toList(), TIMEOUT);
			case 7 -> {
				Duration length = Duration.ofMillis(10 + random.nextInt(60));
				yield (store) -> store.expireAll(Map.of(id, length), TIMEOUT);
			}
			default -> {
				int limit = one(random, LIMITS);
				// Only the lease of an exclusive lock may be idle
				boolean lingers = limit == 1 && random.nextBoolean();
				Claim claim = new Claim(id, limit, random.nextInt(2) * 64,
						(random.nextBoolean()) ? Duration.ofMillis(20 + random.nextInt(60)) : null, Claims.OWNER,
						Duration.ofMillis(20 + random.nextInt(60)), random.nextBoolean(),
						(lingers) ? Duration.ofSeconds(1) : Duration.ZERO);
				yield (store) -> store.acquire(claim, TIMEOUT);
			}
		};
	}

	private static List<LeaseId> inBoth(LeaseId id) {
		return List.of(new LeaseId("key0", id.leaseToken()), new LeaseId("key1", id.leaseToken()));
	}

	// The first grant there is, or one before it
	private static Function<LockStore, Object> releaseGrant(int before, LeaseId id) {
		return (store) -> store.find(id.key(), TIMEOUT)
			.flatMap((lock) -> lock.holders().stream().findFirst())
			.map((holder) -> store.releaseGrant(new LeaseId(id.key(), holder.leaseToken()), holder.fence() - before,
					TIMEOUT));
	}

	private static <T> T one(Random random, List<T> values) {
		return values.get(random.nextInt(values.size()));
	}

}
