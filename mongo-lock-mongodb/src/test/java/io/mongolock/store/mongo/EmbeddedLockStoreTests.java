package io.mongolock.store.mongo;

import java.time.Duration;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import io.mongolock.store.ManualClock;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.embedded.UpsertRace;

/**
 * Tests for {@link MongoLockStore} on the embedded server as MongoDB 5.0 behaves.
 */
@TestInstance(Lifecycle.PER_CLASS)
class EmbeddedLockStoreTests extends AbstractMongoLockStoreContractTests {

	private final ManualClock clock = new ManualClock();

	private EmbeddedMongo server;

	private MongoClient client;

	UpsertRace upsertRace() {
		return UpsertRace.RETRY;
	}

	@BeforeAll
	void start() {
		this.server = EmbeddedMongo.builder().clock(this.clock).upsertRace(upsertRace()).start();
		this.client = MongoClients.create(this.server.connectionString());
	}

	@AfterAll
	void stop() {
		this.client.close();
		this.server.close();
	}

	@AfterEach
	void drop() {
		documents().drop();
	}

	@Override
	MongoClient client() {
		return this.client;
	}

	@Override
	public void elapse(Duration duration) {
		this.clock.advance(duration);
	}

}
