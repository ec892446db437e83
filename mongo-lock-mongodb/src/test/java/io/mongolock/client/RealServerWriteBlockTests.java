package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import com.mongodb.client.MongoClient;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockTemplate} on a server of its own, which blocks the writes of
 * users.
 */
@Tag("real-server")
@Timeout(240)
@ExtendWith(OutputCaptureExtension.class)
class RealServerWriteBlockTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Test
	void whenAWriteBlockIsLiftedThenRefusedRenewalsAndReleasesAreMadeUpFor(CapturedOutput output) {
		assumeThat(SuiteServer.get().binary()).as(SuiteServer.get().reason()).isPresent();
		try (RealMongo server = RealMongo.builder(SuiteServer.get().binary().orElseThrow()).replicaSet(1).start();
				MongoClient client = TestTemplates.impatient(server.connectionString())) {
			assumeThat(server.label()).as("from 6.0 on").doesNotContain("4.4", "5.0");
			LockTemplate locks = locks(client);
			LockHandle held = locks.acquire(LockRequest.of("held"));
			LockHandle released = locks.acquire(LockRequest.of("released"));
			block(client, true);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(LockRequest.of("new")))
				.withMessageContaining("error 371")
				.withMessageContaining("To lift the block, run ")
				.satisfies((refused) -> assertThat(refused.getOutcome()).isEqualTo(Outcome.REFUSED));
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(held::renew)
				.withMessageContaining("error 371");
			released.close();
			Duration before = held.remaining();
			block(client, false);
			await().atMost(PATIENCE).until(() -> held.remaining().compareTo(before) > 0);
			LockRequest soon = LockRequest.builder("released")
				.settings(LockSettings.builder().waitTimeout(Duration.ofSeconds(20)).build())
				.build();
			locks.acquire(soon).close();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(output)
					.contains("Lock 'released' was released in the background, because the request that took the "
							+ "lock failed"));
			held.close();
			locks.stop(Duration.ofSeconds(5));
		}
	}

	// Of a lease of 2 minutes, so that none is free because it has run out
	private static LockTemplate locks(MongoClient client) {
		LockSettings settings = LockSettings.builder()
			.ttl(Duration.ofMinutes(2))
			.renewInterval(Duration.ofSeconds(1))
			.build();
		return new LockTemplate(new MongoLockStore(TestTemplates.template(client), "locks", ""),
				new ClientOptions(new ConfiguredSettings(settings, Map.of()), new LockOwner("shop", "1", "host", 1, ""),
						LockClock.system(), List.of()));
	}

	private static void block(MongoClient client, boolean blocked) {
		client.getDatabase("admin").runCommand(new Document("setUserWriteBlockMode", 1).append("global", blocked));
	}

}
