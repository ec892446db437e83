package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 42: what ends the change stream of released locks.
 */
@Timeout(120)
class StreamRowsTests {

	private static final LockOwner OWNER = new LockOwner("rows", "1", "localhost", 1, "");

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	@AutoClose
	private final FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port());

	@AutoClose
	private final MongoClient direct = MongoClients.create(this.server.connectionString());

	@AutoClose
	private final MongoClient behindProxy = MongoClients.create(this.proxy.connectionString());

	private final MongoLockStore store = HarnessClient.store(this.direct);

	private final AtomicLong cursor = new AtomicLong();

	private final AtomicBoolean notified = new AtomicBoolean();

	@ParameterizedTest
	@EnumSource(Ending.class)
	@ShowsRow(value = 42, level = Level.SERVER)
	void whateverEndsTheStreamItComesBackAndTellsOfReleases(Ending ending, RowFigures figures) {
		rememberCursor();
		try (StoreSubscription watch = HarnessClient.store(this.behindProxy).watchReleases(listener())) {
			awaitRelease();
			int streams = this.proxy.requests("aggregate");
			ending.happenTo(this);
			long ended = System.nanoTime();
			Awaitility.await().atMost(Harness.LONG).until(() -> this.proxy.requests("aggregate") > streams);
			this.proxy.clear();
			awaitRelease();
			assertThat(watch.isLive()).isTrue();
			figures.server("embedded, mongo-java-server 1.47, as a replica set")
				.add(ending + ", notified again after", Harness.millis(System.nanoTime() - ended));
		}
	}

	@Test
	@ShowsRow(value = 42, level = Level.SERVER)
	void whileTheMajorityIsIdleAndTheStreamSaysNothingWhoeverWaitsIsGrantedByALook(RowFigures figures) {
		rememberCursor();
		try (HarnessClient waiting = client(this.behindProxy);
				HarnessClient other = client(this.direct);
				StoreSubscription watch = this.store.watchReleases(listener())) {
			awaitRelease();
			LockHandle holder = other.acquire();
			CompletableFuture<LockHandle> granted = waiting.acquireAsync();
			Awaitility.await().atMost(Harness.LONG).until(() -> this.cursor.get() != 0 && isInQueue());
			int streams = this.proxy.requests("aggregate");
			this.server.holdChangeEvents();
			this.notified.set(false);
			int asked = asked();
			long held = System.nanoTime();
			holder.close();
			// Long before the lease that the look finds gone would have run out
			assertThat(granted).succeedsWithin(Harness.LONG.dividedBy(2));
			Duration waited = Duration.ofNanos(System.nanoTime() - held);
			assertThat(asked() - asked).as("looks and claims in " + waited).isLessThan(5 + (int) waited.toSeconds());
			assertThat(this.notified).isFalse();
			this.server.showChangeEvents();
			Awaitility.await().atMost(Harness.LONG).untilTrue(this.notified);
			granted.join().close();
			assertThat(this.proxy.requests("aggregate")).as("the stream goes on").isEqualTo(streams);
			assertThat(watch.isLive()).isTrue();
			figures.server("embedded, mongo-java-server 1.47, as a replica set")
				.add("granted after", Harness.millis(waited.toNanos()));
		}
	}

	private int asked() {
		return this.proxy.requests("find") + this.proxy.requests("findAndModify");
	}

	// A lost resume point takes a stream that is asked for again, and a dropped
	// collection the lock along
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "RESUME_POINT_LOST", "COLLECTION_DROPPED" })
	@ShowsRow(value = 42, level = Level.SERVER)
	void untilTheStreamComesBackWhoeverWaitsIsGrantedByALook(Ending ending, RowFigures figures) {
		rememberCursor();
		try (HarnessClient waiting = client(this.behindProxy); HarnessClient other = client(this.direct)) {
			LockHandle holder = other.acquire();
			CompletableFuture<LockHandle> granted = waiting.acquireAsync();
			Awaitility.await().atMost(Harness.LONG).until(() -> this.cursor.get() != 0 && isInQueue());
			this.proxy.on("aggregate").dropRequest().always();
			ending.happenTo(this);
			holder.close();
			long released = System.nanoTime();
			assertThat(granted).succeedsWithin(Harness.LONG);
			figures.server("embedded, mongo-java-server 1.47, as a replica set")
				.add(ending + ", no other stream, granted after", Harness.millis(System.nanoTime() - released));
		}
	}

	private static HarnessClient client(MongoClient mongo) {
		return HarnessClient.of(mongo, HarnessClient.settings(Harness.LONG, Harness.LONG), LockClock.system());
	}

	private boolean isInQueue() {
		return this.store.find(Harness.KEY, Harness.LONG).filter((lock) -> lock.queue().size() == 1).isPresent();
	}

	private void awaitRelease() {
		this.notified.set(false);
		Awaitility.await().pollInterval(Duration.ofMillis(50)).atMost(Harness.LONG).until(() -> {
			LeaseId lease = new LeaseId(Harness.KEY, Long.toString(System.nanoTime()));
			this.store.acquire(Claim.of(lease, OWNER, Harness.LONG), Harness.LONG);
			this.store.release(lease, Harness.LONG);
			return this.notified.get();
		});
	}

	private void rememberCursor() {
		this.proxy.on("getMore").when((command) -> {
			this.cursor.set(idOf(command));
			return false;
		}).dropRequest().always();
	}

	private static long idOf(BsonDocument command) {
		return command.getNumber("getMore").longValue();
	}

	private ReleaseListener listener() {
		return new ReleaseListener() {

			@Override
			public void released(String key) {
				StreamRowsTests.this.notified.set(true);
			}

			@Override
			public void missed() {
				// A release is shown, not what may have been one
			}

		};
	}

	private MongoCollection<Document> locks() {
		return this.direct.getDatabase(Harness.DATABASE).getCollection(Harness.COLLECTION);
	}

	private void killCursor() {
		this.direct.getDatabase(Harness.DATABASE)
			.runCommand(Document.parse(
					"{killCursors: '" + Harness.COLLECTION + "', cursors: [NumberLong('" + this.cursor.get() + "')]}"));
	}

	// No stream goes on where another ended
	private void loseResumePoint() {
		Hold resuming = this.proxy.on("aggregate").holdRequest();
		this.proxy.cut();
		resuming.awaitHeld();
		locks().insertMany(Stream.generate(Document::new).limit(10_001).toList());
		resuming.release();
	}

	private void silence() {
		int before = this.proxy.requests("getMore");
		this.proxy.on("getMore").halfOpen().once();
		Awaitility.await().atMost(Harness.LONG).until(() -> this.proxy.requests("getMore") > before);
	}

	private enum Ending {

		CURSOR_KILLED(StreamRowsTests::killCursor), COLLECTION_DROPPED((test) -> test.locks().drop()),
		CONNECTION_CUT((test) -> test.proxy.cut()), RESUME_POINT_LOST(StreamRowsTests::loseResumePoint),
		CONNECTION_SILENT(StreamRowsTests::silence);

		private final Consumer<StreamRowsTests> cause;

		Ending(Consumer<StreamRowsTests> cause) {
			this.cause = cause;
		}

		void happenTo(StreamRowsTests test) {
			this.cause.accept(test);
		}

	}

}
