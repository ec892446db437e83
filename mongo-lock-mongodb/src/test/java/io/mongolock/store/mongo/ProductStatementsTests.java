package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

import com.mongodb.client.MongoClient;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.StoreSubscription;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each statement that the product sends has been recorded on a real server, in its very
 * shape.
 */
class ProductStatementsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	private final CommandLog log = new CommandLog();

	@AutoClose
	private final MongoClient client = this.log.connect(this.server.connectionString());

	private final MongoTemplate template = TestTemplates.template(this.client);

	private final MongoLockStore locks = new MongoLockStore(this.template, "locks", "");

	@Test
	void thoseOfLocks() {
		// A list that is cut needs two
		SentStatements.askLingering(this.locks, "k'");
		SentStatements.askEverything(this.locks, "k");
		SentStatements.assertAllRecorded(this.log);
	}

	@Test
	void thatOfAStreamOfReleases() {
		RecordingReleaseListener releases = new RecordingReleaseListener();
		try (StoreSubscription watch = this.locks.watchReleases(releases)) {
			Awaitility.await().until(watch::isLive);
			Claim claim = Claims.on("k");
			this.locks.acquire(claim, TIMEOUT);
			this.locks.release(claim.id(), TIMEOUT);
			Awaitility.await().until(() -> releases.released().contains("k"));
			assertThat(names()).contains("hello", "aggregate", "getMore");
			SentStatements.assertAllRecorded(this.log);
		}
	}

	@Test
	void thatOfAStreamOfRecalls() {
		RecordingRecallListener recalls = new RecordingRecallListener();
		try (StoreSubscription watch = this.locks.watchRecalls(recalls)) {
			Awaitility.await().until(watch::isLive);
			Claim claim = Claims.lingering(Claims.on("k"), Duration.ofSeconds(10));
			this.locks.acquire(claim, TIMEOUT);
			this.locks.acquire(Claims.waiting(Claims.on("k")), TIMEOUT);
			Awaitility.await().until(() -> recalls.recalled().contains(claim.id()));
			SentStatements.assertAllRecorded(this.log);
		}
	}

	@Test
	void thoseOfTheStart() {
		new TtlIndexInitializer(this.template, "locks", TtlIndexInitializer.Mode.CREATE, Duration.ofDays(7),
				() -> Duration.ofSeconds(30))
			.initialize();
		new LockLocation(this.template, "locks").askServer(TIMEOUT);
		assertThat(new LockLocation(this.template, "locks").refusedStatement(TIMEOUT)).isEmpty();
		assertThat(names()).containsExactlyInAnyOrder("listIndexes", "createIndexes", "buildInfo", "hello",
				"findAndModify", "update");
		SentStatements.assertAllRecorded(this.log);
	}

	private Set<String> names() {
		return this.log.all().stream().map(BsonDocument::getFirstKey).collect(Collectors.toSet());
	}

}
