package io.mongolock.store.mongo;

import java.time.Duration;
import java.time.Instant;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FastClaim} on a real server, whose clock runs on between the two
 * statements.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerFastClaimTests extends AbstractFastClaimTests {

	private final Instant now = Instant.ofEpochMilli(System.currentTimeMillis());

	@AutoClose
	private final MongoClient client = MongoClients.create(SuiteServer.get().uri().orElseThrow());

	@AfterEach
	void drop() {
		locks().drop();
	}

	@Override
	MongoCollection<BsonDocument> locks() {
		return this.client.getDatabase(TestTemplates.DATABASE).getCollection("fastClaim", BsonDocument.class);
	}

	@Override
	Instant now() {
		return this.now;
	}

	@Override
	Duration unit() {
		return Duration.ofHours(1);
	}

	// Fences are compared with each other instead, and dates not at all
	@Override
	BsonDocument timeless(BsonDocument after) {
		BsonDocument timeless = after.clone();
		BsonDocument holder = timeless.getArray("holders").get(0).asDocument();
		long fence = holder.getNumber("fence").longValue();
		long highest = timeless.getNumber("fence").longValue();
		assertThat(highest).isGreaterThanOrEqualTo(holder.getDateTime("acquiredAt").getValue() * 1024);
		timeless.put("fence", new BsonInt64(highest - fence));
		holder.put("fence", BsonNull.VALUE);
		holder.put("acquiredAt", BsonNull.VALUE);
		holder.put("renewedAt", BsonNull.VALUE);
		timeless.put("touchedAt", BsonNull.VALUE);
		return timeless;
	}

}
