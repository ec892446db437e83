package io.mongolock.health;

import java.time.Duration;

import com.mongodb.client.MongoClient;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockHealthIndicator} on a server that can be read, and not written to.
 */
class LockHealthOnServerTests {

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	@AutoClose
	private final FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());

	@AutoClose
	private final MongoClient client = TestTemplates.impatient(this.proxy.connectionString());

	private final MongoTemplate template = TestTemplates.template(this.client);

	private final LockHealthIndicator indicator = new LockHealthIndicator(
			new MongoLockStore(this.template, "locks", ""), TIMEOUT,
			new LockTrouble(LockClock.system(), new WriteProof(LockClock.system())),
			new LockOwner("shop", "1", "host", 1, ""));

	@Test
	void writesThatAreRefusedAreDown() {
		this.template.createCollection("locks");
		validate(new Document("never", 1));
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			Health health = this.indicator.health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails().get("error")).asString().contains("121", "validator");
		});
		validate(new Document());
		awaitUp();
	}

	@Test
	void claimsThatGetNoAnswerAreDownWithinTheBoundThoughReadsDo() {
		this.proxy.on("findAndModify").dropReply().always();
		long begun = System.nanoTime();
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(TIMEOUT.plusSeconds(10));
		this.proxy.clear();
		awaitUp();
	}

	// A machine that is busy may take longer than the bound
	private void awaitUp() {
		await().atMost(Duration.ofMinutes(1)).until(() -> this.indicator.health().getStatus().equals(Status.UP));
	}

	private void validate(Document validator) {
		this.template.executeCommand(new Document("collMod", "locks").append("validator", validator));
	}

}
