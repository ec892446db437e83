package io.mongolock.autoconfigure;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationStrength;
import com.mongodb.client.model.CreateCollectionOptions;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.spi.LockStartupException;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for {@link StoreCheck}.
 */
class StoreCheckTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class, MongoLockAutoConfiguration.class));

	@Test
	void aServerThatDoesNotExecuteTheStatementsIsRefusedAtTheStart() {
		MongoServer other = new MongoServer(new MemoryBackend());
		try {
			at(other.bindAndGetConnectionString() + "/shop").run((context) -> {
				LockStartupException refusal = refusal(context);
				assertThat(refusal.getProblem()).contains("does not execute the statements", "(MongoDB 5.0.0)",
						"cannot be cast");
				assertThat(refusal.getAction()).contains("MongoDB 4.4 or later", "mongo-lock.mongo-template");
			});
		}
		finally {
			other.shutdownNow();
		}
	}

	@Test
	void theCheckWritesNothing() {
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			at(server.connectionString() + "/shop").run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(client.getDatabase("shop").getCollection("locks").countDocuments()).isZero();
			});
		}
	}

	@Test
	@Tag("real-server")
	void aCollectionWithACollationIsRefusedAtTheStart() {
		assumeThat(SuiteServer.get().uri()).as(SuiteServer.get().reason()).isPresent();
		String uri = SuiteServer.get().uri().orElseThrow();
		try (MongoClient client = MongoClients.create(uri)) {
			client.getDatabase("mongo_lock_test").getCollection("collated").drop();
			client.getDatabase("mongo_lock_test")
				.createCollection("collated", new CreateCollectionOptions().collation(
						Collation.builder().locale("en").collationStrength(CollationStrength.SECONDARY).build()));
			ApplicationContextRunner collated = at(uri).withPropertyValues("spring.mongodb.database=mongo_lock_test",
					"mongo-lock.collection=collated");
			collated.run((context) -> {
				LockStartupException refusal = refusal(context);
				assertThat(refusal.getProblem()).contains("mongo_lock_test.collated", "(en, strength 2)",
						"would be one lock");
				assertThat(refusal.getAction()).contains("mongo-lock.collection", "drop the collection");
			});
			client.getDatabase("mongo_lock_test").getCollection("collated").drop();
			collated.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				try (LockHandle lower = locks.acquire(LockRequest.of("a"));
						LockHandle upper = locks.acquire(LockRequest.of("A"))) {
					assertThat(lower.isHeld() && upper.isHeld()).isTrue();
				}
				assertThat(client.getDatabase("mongo_lock_test")
					.getCollection("collated", BsonDocument.class)
					.countDocuments()).isEqualTo(2);
			});
			client.getDatabase("mongo_lock_test").getCollection("collated").drop();
		}
	}

	private ApplicationContextRunner at(String uri) {
		return this.runner.withPropertyValues("spring.mongodb.uri=" + uri);
	}

	private static LockStartupException refusal(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		while (failure != null && !(failure instanceof LockStartupException)) {
			failure = failure.getCause();
		}
		assertThat(failure).isNotNull();
		return (LockStartupException) failure;
	}

}
