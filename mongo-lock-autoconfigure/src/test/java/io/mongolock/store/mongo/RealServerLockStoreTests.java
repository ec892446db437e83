package io.mongolock.store.mongo;

import java.time.Duration;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.test.server.SuiteServer;

/**
 * Tests for {@link MongoLockStore} on a real server.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerLockStoreTests extends AbstractMongoLockStoreContractTests {

	private static MongoClient client;

	@BeforeAll
	static void connect() {
		client = MongoClients.create(SuiteServer.get().uri().orElseThrow());
	}

	@AfterAll
	static void disconnect() {
		client.close();
	}

	@AfterEach
	void drop() {
		documents().drop();
	}

	@Override
	MongoClient client() {
		return client;
	}

	@Override
	public Duration shortTtl() {
		// several writes that a majority has to confirm take part of it
		return Duration.ofSeconds(1);
	}

	@Override
	public void elapse(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		Awaitility.await()
			.atMost(duration.plusSeconds(5))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> System.nanoTime() - end >= 0);
	}

}
