package io.mongolock.store.mongo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockClock;
import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.KeySpace;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreServers;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredHolder;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.embedded.UpsertRace;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FollowedStream#releases} on an embedded replica set.
 */
@Timeout(240)
class ReleaseStreamTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final CommandLog log = new CommandLog();

	private final RecordingReleaseListener listener = new RecordingReleaseListener();

	private EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	private MongoClient client;

	private MongoLockStore store;

	private StoreSubscription watch;

	@BeforeEach
	void connect() {
		connect(this.server.connectionString());
	}

	@AfterEach
	void stop() {
		if (this.watch != null) {
			this.watch.close();
		}
		this.client.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource(UpsertRace.class)
	void onlyChangesThatFreeAPlaceAreNotified(UpsertRace version) {
		this.client.close();
		this.server.close();
		// A change within a millisecond leaves touchedAt as it is, and a claim that
		// joins the queue then looks like one that leaves it
		AtomicLong millis = new AtomicLong(System.currentTimeMillis());
		this.server = EmbeddedMongo.builder()
			.replicaSet()
			.upsertRace(version)
			.clock(() -> Instant.ofEpochMilli(millis.incrementAndGet()))
			.start();
		connect();
		watch(this.listener);
		Claim holder = Claims.on("released");
		Claim waiter = Claims.waiting(Claims.on("left"));
		this.store.acquire(holder, TIMEOUT);
		this.store.renew(holder.id(), TIMEOUT);
		this.store.acquire(Claims.on("left"), TIMEOUT);
		this.store.acquire(waiter, TIMEOUT);
		this.store.acquire(waiter, TIMEOUT);
		this.store.refreshAll(List.of(waiter.id()), TIMEOUT);
		this.store.leave(waiter.id(), TIMEOUT);
		this.store.release(holder.id(), TIMEOUT);
		this.store.release(holder.id(), TIMEOUT);
		this.store.acquire(Claims.first(Claims.on("released")), TIMEOUT);
		documents().deleteOne(new Document("_id", "left"));
		StoredHolder proved = this.store.acquire(holder.withLimit(2), TIMEOUT).lock().holders().get(0);
		assertThat(proved.leaseToken()).isNotEqualTo(holder.id().leaseToken());
		release("last");
		awaitReleased("left", "released", "left", "last");
		assertThat(this.listener.timesMissed()).isOne();
	}

	@Test
	void aGrantWithinTheMillisecondOfAnotherChangeIsNoRelease() {
		this.client.close();
		this.server.close();
		Instant stopped = Instant.now();
		this.server = EmbeddedMongo.builder().replicaSet().clock(() -> stopped).start();
		connect();
		release("key");
		watch(this.listener);
		this.store.acquire(Claims.on("key"), TIMEOUT);
		release("last");
		awaitReleased("last");
	}

	@Test
	void oneOfSeveralHoldersFreesAPlaceToo() {
		watch(this.listener);
		List<Claim> holders = Stream.generate(() -> Claims.shared("key")).limit(3).toList();
		holders.forEach((holder) -> this.store.acquire(holder, TIMEOUT));
		this.store.release(holders.get(1).id(), TIMEOUT);
		awaitReleased("key");
	}

	@Test
	void onlyKeysOfThePrefixAreNotifiedWithoutIt() {
		MongoLockStore prefixed = new MongoLockStore(TestTemplates.template(this.client), "locks", "app:");
		this.watch = prefixed.watchReleases(this.listener);
		awaitLive();
		endRequestForEvents();
		release("other");
		release("app:mine");
		awaitReleased("mine");
	}

	@Test
	void aStreamWhoseCursorWasKilledIsOpenedAnewAndEverythingIsLookedAt() {
		watch(this.listener);
		killCursor();
		await().atMost(TIMEOUT).until(() -> this.listener.timesMissed() >= 2 && this.watch.isLive());
		release("key");
		awaitReleased("key");
	}

	@Test
	void aStreamThatEndsWithAnErrorIsOpenedAnew() {
		AtomicInteger opened = new AtomicInteger();
		ChangeStreams streams = new ChangeStreams(new PrimaryCollection(TestTemplates.template(this.client), "locks"),
				new LockStatements().releases(), TIMEOUT, "they look", LockClock.system()) {

			@Override
			MongoCursor<BsonDocument> open() {
				if (opened.getAndIncrement() == 0) {
					throw new NoClassDefFoundError("from the test");
				}
				return super.open();
			}

		};
		this.watch = FollowedStream.releases(streams, new KeySpace(""), this.listener);
		awaitLive();
		release("key");
		awaitReleased("key");
	}

	@Test
	void aDroppedCollectionIsWatchedAgain() {
		release("key");
		watch(this.listener);
		documents().drop();
		await().atMost(TIMEOUT).until(() -> this.listener.timesMissed() >= 2 && this.watch.isLive());
		release("key");
		awaitReleased("key");
	}

	@Test
	void whileTheServerIsAwayTheWatchIsNotLive() {
		watchHastily();
		int port = this.server.port();
		this.server.close();
		await().atMost(TIMEOUT).until(() -> !this.watch.isLive());
		this.server = EmbeddedMongo.builder().replicaSet().port(port).start();
		await().atMost(TIMEOUT).until(() -> this.listener.timesMissed() >= 2 && this.watch.isLive());
		awaitAnyRelease();
	}

	@Test
	void releasesMissedByAnEndedStreamAreLookedFor() {
		try (FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port())) {
			this.client.close();
			connect(proxy.connectionString());
			watch(this.listener);
			awaitCommand("getMore");
			proxy.on("aggregate").dropRequest().always();
			killCursor();
			await().atMost(TIMEOUT).until(() -> this.listener.timesMissed() == 2);
			assertThat(this.watch.isLive()).as("so that waiters look at their interval").isFalse();
		}
	}

	@Test
	void aConnectionThatBreaksIsNoticedBeforeAnotherStreamIsAskedFor() {
		try (FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port())) {
			this.client.close();
			connect(proxy.connectionString());
			List<Integer> askedFor = new CopyOnWriteArrayList<>();
			watch(new RecordingReleaseListener() {

				@Override
				public void missed() {
					askedFor.add(proxy.requests("aggregate"));
				}

			});
			awaitCommand("getMore");
			proxy.on("aggregate").dropRequest().always();
			proxy.cut();
			await().atMost(TIMEOUT).until(() -> askedFor.size() == 2);
			assertThat(askedFor).containsExactly(1, 1);
			assertThat(this.watch.isLive()).as("so that waiters look at their interval").isFalse();
		}
	}

	@Test
	void aSilentConnectionIsNotTakenForAQuietStore() {
		try (FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port())) {
			this.client.close();
			connect(proxy.connectionString());
			watchHastily();
			proxy.on("getMore").halfOpen().always();
			await().atMost(TIMEOUT).until(() -> this.listener.timesMissed() >= 2);
			proxy.heal();
			awaitAnyRelease();
		}
	}

	@Test
	void aListenerThatFailsIsNotifiedOfTheNextRelease() {
		watch(new RecordingReleaseListener() {

			@Override
			public void released(String key) {
				ReleaseStreamTests.this.listener.released(key);
				throw new StackOverflowError("from the test");
			}

			@Override
			public void missed() {
				throw new IllegalStateException("from the test");
			}

		});
		release("first");
		release("second");
		awaitReleased("first", "second");
	}

	@Test
	void aClosedWatchLeavesNeitherThreadNorCursor() {
		watch(this.listener);
		awaitCommand("getMore");
		this.watch.close();
		assertThat(this.watch.isLive()).isFalse();
		endRequestForEvents();
		awaitCommand("killCursors");
		awaitNoThread();
		release("key");
		assertThat(this.listener.released()).isEmpty();
	}

	@Test
	void theClientMayBeClosedOnceAClosedWatchHasEnded() throws InterruptedException {
		watch(this.listener);
		awaitCommand("getMore");
		this.watch.close();
		this.watch.awaitEnd(TIMEOUT);
		assertThat(this.log.all()).extracting(BsonDocument::getFirstKey).contains("killCursors");
	}

	@Test
	void aWatchThatIsClosedWhileTheServerIsAwayEndsAtOnce() {
		watchHastily();
		this.server.close();
		await().atMost(TIMEOUT).until(() -> !this.watch.isLive());
		this.watch.close();
		this.watch.close();
		this.client.close();
		awaitNoThread();
	}

	@Test
	void onAStandaloneServerThereIsNoneAndNothingIsMissed() {
		try (EmbeddedMongo standalone = EmbeddedMongo.start()) {
			this.client.close();
			connect(standalone.connectionString());
			this.watch = this.store.watchReleases(this.listener);
			await().atMost(TIMEOUT).until(() -> !commands("aggregate").isEmpty());
			this.watch.close();
			awaitNoThread();
			assertThat(this.watch.isLive()).isFalse();
			assertThat(this.listener.timesMissed()).isZero();
		}
	}

	@Test
	void switchedOffNothingIsAskedFor() {
		// Of the test before
		awaitNoThread();
		MongoLockStore deaf = new MongoLockStore(TestTemplates.template(this.client), "locks", "", StoreServers.UNKNOWN,
				Notifications.OFF);
		this.watch = deaf.watchReleases(this.listener);
		assertThat(this.watch.isLive()).isFalse();
		assertThat(this.log.all()).isEmpty();
		assertThat(streamThreads()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "3, false", "4, true" })
	@ExtendWith(OutputCaptureExtension.class)
	void whenPoolHasFewConnectionsThenNoStreamTakesOne(int connections, boolean live, CapturedOutput output) {
		// Of the test before
		awaitNoThread();
		StoreServers few = new StoreServers() {

			@Override
			public int connections() {
				return connections;
			}

		};
		MongoLockStore small = new MongoLockStore(TestTemplates.template(this.client), "locks", "", few,
				Notifications.AUTO);
		this.watch = small.watchReleases(this.listener);
		assertThat(streamThreads().isEmpty()).isNotEqualTo(live);
		small.watchReleases(this.listener).close();
		assertThat(output.getOut().split("has at most ", -1)).hasSize((live) ? 1 : 2);
	}

	@Test
	void eachRequestForEventsWaitsForOneAsLongAsTheServerWill() {
		watch(this.listener);
		awaitCommand("getMore");
		BsonDocument opening = commands("aggregate").get(0);
		assertThat(opening.getArray("pipeline")).hasSize(3);
		assertThat(commands("getMore").get(0).containsKey("maxTimeMS")).isFalse();
	}

	@Test
	void aStandaloneServerThatBecameAReplicaSetIsListenedTo() {
		this.client.close();
		this.server.close();
		this.server = EmbeddedMongo.builder().start();
		int port = this.server.port();
		connect();
		this.watch = this.store.watchReleases(this.listener);
		await().atMost(TIMEOUT).until(() -> !commands("aggregate").isEmpty());
		assertThat(this.watch.isLive()).isFalse();
		this.server.close();
		this.server = EmbeddedMongo.builder().port(port).replicaSet().start();
		awaitLive();
		awaitAnyRelease();
	}

	private void connect(String connectionString) {
		this.client = this.log.connect(connectionString);
		this.store = new MongoLockStore(TestTemplates.template(this.client), "locks", "");
	}

	private void watch(ReleaseListener listener) {
		this.watch = this.store.watchReleases(listener);
		awaitLive();
	}

	// Gives a stream up soon, and on a busy machine now and then one that works
	private void watchHastily() {
		ChangeStreams hasty = new ChangeStreams(new PrimaryCollection(TestTemplates.template(this.client), "locks"),
				new LockStatements().releases(), Duration.ofMillis(1_500), "they look", LockClock.system());
		this.watch = FollowedStream.releases(hasty, new KeySpace(""), this.listener);
		awaitLive();
	}

	private void awaitAnyRelease() {
		await().atMost(TIMEOUT).untilAsserted(() -> {
			release("key");
			assertThat(this.listener.released()).contains("key");
		});
	}

	private void release(String key) {
		Claim claim = Claims.on(key);
		this.store.acquire(claim, TIMEOUT);
		this.store.release(claim.id(), TIMEOUT);
	}

	// By an event that is none of a lock, sooner than after a second without any
	private void endRequestForEvents() {
		documents().insertOne(new Document("_id", 7));
		documents().deleteOne(new Document("_id", 7));
	}

	private void killCursor() {
		awaitCommand("getMore");
		List<BsonDocument> asked = commands("getMore");
		BsonInt64 cursor = asked.get(asked.size() - 1).getInt64("getMore");
		this.client.getDatabase(TestTemplates.DATABASE)
			.runCommand(new Document("killCursors", "locks").append("cursors", new BsonArray(List.of(cursor))));
	}

	private MongoCollection<Document> documents() {
		return this.client.getDatabase(TestTemplates.DATABASE).getCollection("locks");
	}

	private void awaitLive() {
		await().atMost(TIMEOUT).until(this.watch::isLive);
	}

	private void awaitReleased(String... keys) {
		await().atMost(TIMEOUT).untilAsserted(() -> assertThat(this.listener.released()).containsExactly(keys));
	}

	private void awaitCommand(String name) {
		await().atMost(TIMEOUT).until(() -> !commands(name).isEmpty());
	}

	private void awaitNoThread() {
		await().atMost(TIMEOUT).until(() -> streamThreads().isEmpty());
	}

	private List<BsonDocument> commands(String name) {
		return this.log.all().stream().filter((command) -> command.getFirstKey().equals(name)).toList();
	}

	private static List<Thread> streamThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals(FollowedStream.RELEASES_THREAD))
			.toList();
	}

}
