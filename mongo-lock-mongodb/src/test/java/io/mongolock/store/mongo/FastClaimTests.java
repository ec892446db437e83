package io.mongolock.store.mongo;

import java.time.Duration;
import java.time.Instant;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;

import io.mongolock.store.ManualClock;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Tests for {@link FastClaim} on an embedded server, whose clock stands still: what both
 * statements leave behind is equal to the last bit.
 */
class FastClaimTests extends AbstractFastClaimTests {

	private final ManualClock clock = new ManualClock();

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().clock(this.clock).start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	@Override
	MongoCollection<BsonDocument> locks() {
		return this.client.getDatabase(TestTemplates.DATABASE).getCollection("fastClaim", BsonDocument.class);
	}

	@Override
	Instant now() {
		return this.clock.instant();
	}

	@Override
	Duration unit() {
		return Duration.ofMillis(1);
	}

	@Override
	BsonDocument timeless(BsonDocument after) {
		return after;
	}

}
