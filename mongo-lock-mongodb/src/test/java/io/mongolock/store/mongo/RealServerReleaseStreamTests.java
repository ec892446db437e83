package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.StoreSubscription;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FollowedStream#releases} on a real server: on a replica set, and that
 * any other is asked for it once.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
@Timeout(240)
class RealServerReleaseStreamTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final String collection = "stream_" + Long.toHexString(System.nanoTime());

	private final CommandLog log = new CommandLog();

	private final RecordingReleaseListener listener = new RecordingReleaseListener();

	@AutoClose
	private final MongoClient client = this.log.connect(SuiteServer.get().uri().orElseThrow());

	private final MongoLockStore store = new MongoLockStore(TestTemplates.template(this.client), this.collection, "");

	@AutoClose
	private final StoreSubscription watch = this.store.watchReleases(this.listener);

	@AfterEach
	void drop() {
		documents().drop();
	}

	@Test
	void onlyChangesThatFreeAPlaceAreNotified() {
		awaitStream();
		Claim holder = Claims.on("released");
		Claim waiter = Claims.waiting(Claims.on("left"));
		inAMillisecondOfItsOwn(() -> this.store.acquire(holder, TIMEOUT));
		inAMillisecondOfItsOwn(() -> this.store.renew(holder.id(), TIMEOUT));
		inAMillisecondOfItsOwn(() -> this.store.acquire(Claims.on("left"), TIMEOUT));
		inAMillisecondOfItsOwn(() -> this.store.acquire(waiter, TIMEOUT));
		inAMillisecondOfItsOwn(() -> this.store.refreshAll(List.of(waiter.id()), TIMEOUT));
		this.store.leave(waiter.id(), TIMEOUT);
		this.store.release(holder.id(), TIMEOUT);
		this.store.release(holder.id(), TIMEOUT);
		inAMillisecondOfItsOwn(() -> this.store.acquire(Claims.first(Claims.on("released")), TIMEOUT));
		documents().deleteOne(new Document("_id", "left"));
		release("last");
		await().atMost(TIMEOUT).until(() -> this.listener.released().contains("last"));
		assertThat(this.listener.released()).containsExactly("left", "released", "left", "last");
		assertThat(commands("aggregate")).hasSize(1);
	}

	@Test
	void aHolderWhoseLeaseMayBeIdleIsRecalledOnceAndThatFreesNoPlace() {
		awaitStream();
		RecordingRecallListener recalls = new RecordingRecallListener();
		try (StoreSubscription watched = this.store.watchRecalls(recalls)) {
			await().atMost(TIMEOUT).until(watched::isLive);
			Claim holder = Claims.lingering(Claims.on("key"), Duration.ofSeconds(10));
			Claim waiter = Claims.waiting(Claims.on("key"));
			inAMillisecondOfItsOwn(() -> this.store.acquire(holder, TIMEOUT));
			inAMillisecondOfItsOwn(() -> this.store.acquire(waiter, TIMEOUT));
			await().atMost(TIMEOUT).until(() -> recalls.recalled().contains(holder.id()));
			this.store.releaseAll(List.of(holder.id()), TIMEOUT);
			this.store.acquire(waiter, TIMEOUT);
			await().atMost(TIMEOUT).until(() -> this.listener.released().contains("key"));
			assertThat(this.listener.released()).containsExactly("key");
			assertThat(recalls.recalled()).containsExactly(holder.id());
		}
	}

	@Test
	void aStreamComesBackAfterItsCursorWasKilledOrTheCollectionDropped() {
		awaitStream();
		List<BsonDocument> asked = commands("getMore");
		run(new Document("killCursors", this.collection).append("cursors",
				List.of(asked.get(asked.size() - 1).getInt64("getMore"))));
		awaitStreams(2);
		awaitAnyRelease();
		documents().drop();
		awaitStreams(3);
		awaitAnyRelease();
		assertThat(this.watch.isLive()).isTrue();
	}

	@Test
	void aClosedWatchKillsItsCursor() {
		awaitStream();
		this.watch.close();
		await().atMost(TIMEOUT).until(() -> !commands("killCursors").isEmpty());
	}

	@Test
	void anyOtherServerIsAskedForItOnce() {
		assumeThat(isReplicaSet()).as("a replica set").isFalse();
		await().atMost(TIMEOUT).until(() -> !commands("hello").isEmpty());
		release("key");
		this.store.watchReleases(this.listener).close();
		assertThat(this.watch.isLive()).isFalse();
		assertThat(commands("aggregate")).hasSizeLessThan(2);
		assertThat(this.listener.timesMissed()).isZero();
	}

	private void awaitStream() {
		assumeThat(isReplicaSet()).as("a replica set").isTrue();
		awaitStreams(1);
	}

	private void awaitStreams(int count) {
		await().atMost(TIMEOUT)
			.until(() -> this.listener.timesMissed() >= count && commands("aggregate").size() >= count
					&& this.watch.isLive() && !commands("getMore").isEmpty());
	}

	private void awaitAnyRelease() {
		int before = this.listener.released().size();
		await().atMost(TIMEOUT).until(() -> {
			release("key");
			return this.listener.released().size() > before;
		});
	}

	private void release(String key) {
		Claim claim = Claims.on(key);
		this.store.acquire(claim, TIMEOUT);
		this.store.release(claim.id(), TIMEOUT);
	}

	// A change within a millisecond leaves touchedAt as it is, and looks like a
	// release
	private static void inAMillisecondOfItsOwn(Runnable request) {
		request.run();
		long end = System.nanoTime() + 5_000_000;
		await().pollInterval(Duration.ofMillis(1)).until(() -> System.nanoTime() - end >= 0);
	}

	private boolean isReplicaSet() {
		return run(new Document("hello", 1)).containsKey("setName");
	}

	private Document run(Document command) {
		return this.client.getDatabase(TestTemplates.DATABASE).runCommand(command);
	}

	private MongoCollection<Document> documents() {
		return this.client.getDatabase(TestTemplates.DATABASE).getCollection(this.collection);
	}

	private List<BsonDocument> commands(String name) {
		return this.log.all().stream().filter((command) -> command.getFirstKey().equals(name)).toList();
	}

}
