package io.mongolock.store.mongo;

import java.time.Duration;

import com.mongodb.ServerApi;
import com.mongodb.ServerApiVersion;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.mongo.TtlIndexInitializer.Mode;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * All that the store sends is in the stable API of a real server, of which a client may
 * ask that nothing else is executed.
 */
@Tag("real-server")
@Timeout(120)
class RealServerStrictApiTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	@Test
	void everyStatementIsInTheStableApi() {
		assumeThat(SuiteServer.get().uri()).as(SuiteServer.get().reason()).isPresent();
		String uri = SuiteServer.get().uri().orElseThrow();
		try (MongoClient client = MongoClients.create(uri)) {
			assumeThat(client.getDatabase("admin").runCommand(new Document("hello", 1)).getInteger("maxWireVersion"))
				.as("from 5.0 on")
				.isGreaterThanOrEqualTo(13);
		}
		ServerApi strict = ServerApi.builder()
			.version(ServerApiVersion.V1)
			.strict(true)
			.deprecationErrors(true)
			.build();
		try (MongoClient client = MongoClients.create(TestTemplates.settings(uri).serverApi(strict).build())) {
			MongoTemplate template = TestTemplates.template(client);
			template.dropCollection("strict");
			assertThat(new TtlIndexInitializer(template, "strict", Mode.CREATE, Duration.ofDays(7), () -> TIMEOUT)
				.initialize()).isTrue();
			assertThat(template.indexOps("strict").getIndexInfo()).hasSize(2);
			assertThat(new LockLocation(template, "strict").refusedStatement(TIMEOUT)).isEmpty();
			MongoLockStore store = new MongoLockStore(template, "strict", "");
			SentStatements.askEverything(store, "k");
			SentStatements.askLingering(store, "k'");
			assertStreamsWork(store);
			template.dropCollection("strict");
		}
	}

	private static void assertStreamsWork(MongoLockStore store) {
		RecordingReleaseListener releases = new RecordingReleaseListener();
		RecordingRecallListener recalls = new RecordingRecallListener();
		try (StoreSubscription released = store.watchReleases(releases);
				StoreSubscription recalled = store.watchRecalls(recalls)) {
			await().atMost(TIMEOUT).until(() -> released.isLive() && recalled.isLive());
			Claim claim = Claims.lingering(Claims.on("stream"), Duration.ofSeconds(10));
			store.acquire(claim, TIMEOUT);
			store.acquire(Claims.waiting(Claims.on("stream")), TIMEOUT);
			store.release(claim.id(), TIMEOUT);
			await().atMost(TIMEOUT)
				.until(() -> releases.released().contains("stream") && recalls.recalled().contains(claim.id()));
		}
	}

}
