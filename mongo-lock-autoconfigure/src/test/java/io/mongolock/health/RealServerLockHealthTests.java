package io.mongolock.health;

import java.time.Duration;

import com.mongodb.client.MongoClient;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockHealthIndicator} on a set of three.
 */
@Tag("real-server")
@Timeout(240)
class RealServerLockHealthTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Test
	void whereReadsAreAnsweredAndWritesAreNotItIsDown() {
		assumeThat(SuiteServer.get().binary()).as(SuiteServer.get().reason()).isPresent();
		MongodBinary binary = SuiteServer.get().binary().orElseThrow();
		try (RealMongo set = RealMongo.builder(binary).replicaSet(3).separable().start();
				MongoClient client = TestTemplates.impatient(set.connectionString())) {
			MongoTemplate template = TestTemplates.template(client);
			awaitUp(template);
			set.secondaries().forEach(RealMember::freeze);
			long begun = System.nanoTime();
			assertThat(health(template).getStatus()).as("no majority confirms anything").isEqualTo(Status.DOWN);
			assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(TIMEOUT.plusSeconds(10));
			set.heal();
			awaitUp(template);
			template.executeCommand("{collMod: 'locks', validator: {never: 1}}");
			Health refused = health(template);
			assertThat(refused.getStatus()).isEqualTo(Status.DOWN);
			assertThat(refused.getDetails().get("error")).asString().contains("error 121", "collMod");
			template.executeCommand(new Document("collMod", "locks").append("validator", new Document()));
			awaitUp(template);
		}
	}

	private static void awaitUp(MongoTemplate template) {
		await().atMost(PATIENCE).until(() -> health(template).getStatus().equals(Status.UP));
	}

	// New each time, so without evidence of before
	private static Health health(MongoTemplate template) {
		return new LockHealthIndicator(new MongoLockStore(template, "locks", ""), TIMEOUT,
				new LockTrouble(LockClock.system(), new WriteProof(LockClock.system())),
				new LockOwner("shop", "1", "host", 1, ""))
			.health();
	}

}
