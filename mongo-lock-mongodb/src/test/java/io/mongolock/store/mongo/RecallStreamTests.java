package io.mongolock.store.mongo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoreServers;
import io.mongolock.store.StoreSubscription;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.embedded.UpsertRace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FollowedStream#recalls} on an embedded replica set; how a stream is
 * kept open, {@link ReleaseStreamTests} show.
 */
@Timeout(240)
class RecallStreamTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final Duration LINGER = Duration.ofSeconds(10);

	private final CommandLog log = new CommandLog();

	private final RecordingRecallListener listener = new RecordingRecallListener();

	private EmbeddedMongo server;

	private MongoClient client;

	private MongoLockStore store;

	private StoreSubscription watch = StoreSubscription.NEVER_LIVE;

	@AfterEach
	void stop() {
		this.watch.close();
		this.client.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource(UpsertRace.class)
	void onlyTheHolderIsNotifiedWhoseLeaseMayBeIdle(UpsertRace version) {
		AtomicLong millis = new AtomicLong(System.currentTimeMillis());
		start(EmbeddedMongo.builder().upsertRace(version).clock(() -> Instant.ofEpochMilli(millis.incrementAndGet())),
				"");
		watch();
		Claim other = Claims.on("releases");
		this.store.acquire(other, TIMEOUT);
		this.store.acquire(Claims.waiting(Claims.on("releases")), TIMEOUT);
		Claim holder = lingering("key");
		Claim waiter = Claims.waiting(lingering("key"));
		this.store.acquire(holder, TIMEOUT);
		this.store.acquire(Claims.on("key"), TIMEOUT);
		this.store.renew(holder.id(), TIMEOUT);
		this.store.acquire(waiter, TIMEOUT);
		this.store.refreshAll(List.of(waiter.id()), TIMEOUT);
		this.store.releaseAll(List.of(holder.id()), TIMEOUT);
		this.store.acquire(waiter, TIMEOUT);
		documents().deleteOne(new Document("_id", "key"));
		Claim last = recall("last");
		awaitRecalled(holder.id(), last.id());
		assertThat(this.listener.timesMissed()).isOne();
	}

	@Test
	void aDroppedCollectionIsWatchedAgain() {
		start(EmbeddedMongo.builder(), "");
		recall("before");
		watch();
		documents().drop();
		await().atMost(TIMEOUT).until(() -> this.listener.timesMissed() >= 2 && this.watch.isLive());
		Claim claim = recall("key");
		awaitRecalled(claim.id());
	}

	@Test
	void onlyKeysOfThePrefixAreNotifiedWithoutIt() {
		start(EmbeddedMongo.builder(), "app:");
		watch();
		MongoLockStore others = new MongoLockStore(TestTemplates.template(this.client), "locks", "other:");
		Claim other = lingering("key");
		others.acquire(other, TIMEOUT);
		others.acquire(Claims.waiting(Claims.on("key")), TIMEOUT);
		awaitRecalled(recall("key").id());
	}

	@Test
	void switchedOffNothingIsAskedFor() {
		start(EmbeddedMongo.builder(), "");
		MongoLockStore deaf = new MongoLockStore(TestTemplates.template(this.client), "locks", "", StoreServers.UNKNOWN,
				Notifications.OFF);
		assertThat(deaf.watchRecalls(this.listener).isLive()).isFalse();
		assertThat(this.log.all()).isEmpty();
	}

	private void start(EmbeddedMongo.Builder builder, String prefix) {
		this.server = builder.replicaSet().start();
		connect(prefix);
	}

	private void connect(String prefix) {
		this.client = this.log.connect(this.server.connectionString());
		this.store = new MongoLockStore(TestTemplates.template(this.client), "locks", prefix);
	}

	private void watch() {
		this.watch = this.store.watchRecalls(this.listener);
		await().atMost(TIMEOUT).until(this.watch::isLive);
	}

	private Claim recall(String key) {
		Claim holder = lingering(key);
		this.store.acquire(holder, TIMEOUT);
		this.store.acquire(Claims.waiting(Claims.on(key)), TIMEOUT);
		return holder;
	}

	private void awaitRecalled(LeaseId... holders) {
		await().atMost(TIMEOUT).untilAsserted(() -> assertThat(this.listener.recalled()).containsExactly(holders));
	}

	private MongoCollection<Document> documents() {
		return this.client.getDatabase(TestTemplates.DATABASE).getCollection("locks");
	}

	private static Claim lingering(String key) {
		return Claims.lingering(Claims.on(key), LINGER);
	}

}
