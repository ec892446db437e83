package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.mongo.TtlIndexInitializer;
import io.mongolock.store.mongo.TtlIndexWatch;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows 30, 40, 42, 44, 54 and 61: what the documents hold, and what happens to them
 * behind the back of the holder.
 */
@Timeout(120)
class StoreRowsTests {

	private static final List<String> STRANGE_KEYS = List.of("$x", "$$ROOT", "$$NOW", "$where", "a.b", "a", "A",
			"{\"$gt\": \"\"}", "T(java.lang.Runtime).getRuntime().exec('true')", "#{1 + 1}", "${user.home}", "\u0000",
			"a\u0000b", " a", "a ", "\u00e9", "e\u0301", "\ud83d\udd12", "../locks", "'; db.dropDatabase(); '",
			"x".repeat(1024));

	@AutoClose
	private final Harness harness = Harness.onAnyServer();

	@Test
	@ShowsRow(value = 30, level = Level.SERVER)
	void aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal(RowFigures figures) {
		HarnessClient client = this.harness.direct(Duration.ofSeconds(6));
		LockHandle handle = client.acquire();
		this.harness.documents().drop();
		assertThat(client.heard().awaitLoss().reason()).isEqualTo(LossReason.REFUSED);
		assertThat(this.harness.document()).as("not brought back").isEmpty();
		LockHandle next = client.acquire();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.harness.label()).add("fence", "rose by " + (next.fence() - handle.fence()));
	}

	@Test
	@ShowsRow(value = 30, level = Level.SERVER)
	void aRestoredBackupLowersNoFence(RowFigures figures) {
		HarnessClient client = this.harness.direct(Duration.ofSeconds(6));
		client.acquire().close();
		Document backup = this.harness.document().orElseThrow();
		LockHandle handle = client.acquireUnrenewed();
		this.harness.documents().replaceOne(new Document("_id", Harness.KEY), backup);
		LockHandle next = this.harness.direct(Harness.LONG).tryAcquire().orElseThrow();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		Expect.lost(handle::renew);
		figures.server(this.harness.label()).add("fence regressions", 0);
	}

	@Test
	@ShowsRow(value = 61, level = Level.SERVER)
	void aLossInTheMiddleOfATurnReachesWhoHoldsThen(RowFigures figures) {
		RecordingLockListener heard = new RecordingLockListener();
		LockTemplate locks = HarnessClient.locks(this.harness.store(),
				HarnessClient.settings(Duration.ofSeconds(60), Duration.ofMillis(500), Duration.ofSeconds(60)),
				new HandOver(Duration.ofHours(1), 100), Harness.LONG, heard);
		List<CompletableFuture<LockHandle>> turn = Stream
			.generate(() -> locks.acquireAsync(LockRequest.of(Harness.KEY)))
			.limit(4)
			.toList();
		turn.get(0).join().close();
		turn.get(1).join().close();
		LockHandle holder = turn.get(2).join();
		assertThat(holder.fence()).as("handed over").isEqualTo(turn.get(1).join().fence() + 1);
		this.harness.documents()
			.updateOne(new Document("_id", Harness.KEY), new Document("$set", new Document("holders", List.of())));
		RecordingLockListener.Loss loss = heard.awaitLoss();
		assertThat(loss.fence()).isEqualTo(holder.fence());
		assertThat(loss.reason()).isEqualTo(LossReason.REFUSED);
		LockHandle next = turn.get(3).join();
		assertThat(next.fence()).isGreaterThan(holder.fence());
		assertThat(next.isHeld()).isTrue();
		Expect.lost(holder::close);
		assertThat(next.isHeld()).isTrue();
		next.close();
		locks.stop(Duration.ofSeconds(5));
		assertThat(heard.losses()).hasSize(1);
		assertThat(this.harness.holders()).isEmpty();
		figures.server(this.harness.label()).add("notified", loss.reason());
	}

	@Test
	@ShowsRow(value = 54, level = Level.SERVER)
	void theTtlIndexComesBack(RowFigures figures) {
		this.harness.proxy().refuseNewConnections();
		try (MongoClient client = MongoClients.create(this.harness.proxied())) {
			TtlIndexWatch watch = new TtlIndexWatch(
					new TtlIndexInitializer(new MongoTemplate(client, Harness.DATABASE), Harness.COLLECTION,
							TtlIndexInitializer.Mode.CREATE, Duration.ofDays(7), () -> Duration.ofSeconds(30)),
					Duration.ofSeconds(2), () -> true);
			watch.start();
			try {
				assertThat(hasTtlIndex()).as("no server at the start").isFalse();
				this.harness.proxy().heal();
				Awaitility.await().atMost(Harness.LONG).until(this::hasTtlIndex);
				this.harness.documents().drop();
				Awaitility.await().atMost(Harness.LONG).until(this::hasTtlIndex);
			}
			finally {
				watch.stop();
			}
		}
		figures.server(this.harness.label()).add("looked at", "every 2 s; an application does once an hour");
	}

	private boolean hasTtlIndex() {
		return this.harness.documents()
			.listIndexes()
			.into(new ArrayList<>())
			.stream()
			.anyMatch((index) -> index.containsKey("expireAfterSeconds"));
	}

	@Test
	@ShowsRow(value = 40, level = Level.SERVER)
	void strangeKeysAreKeptAsTheyAreAndNoTwoAreOne(RowFigures figures) {
		HarnessClient client = this.harness.direct(Harness.LONG);
		List<LockHandle> handles = new ArrayList<>();
		for (String key : STRANGE_KEYS) {
			handles.add(client.locks().tryAcquire(LockRequest.of(key)).orElseThrow());
			assertThat(this.harness.documents().countDocuments(new Document("_id", key))).as(key).isOne();
		}
		assertThat(this.harness.store().list(100, Harness.LONG)).hasSameSizeAs(STRANGE_KEYS);
		handles.forEach(LockHandle::renew);
		handles.forEach(LockHandle::close);
		assertThat(this.harness.store().list(100, Harness.LONG)).isEmpty();
		figures.server(this.harness.label()).add("keys", STRANGE_KEYS.size()).add("clashes", 0);
	}

	@Test
	@ShowsRow(value = 40, level = Level.SERVER)
	void anOwnerThatLooksLikeAnExpressionIsData(RowFigures figures) throws InterruptedException {
		HarnessClient client = this.harness.direct(Harness.LONG);
		Thread owner = new Thread(client::acquire, "$$ROOT");
		owner.start();
		owner.join();
		assertThat(this.harness.holders()).extracting((holder) -> holder.owner().thread()).containsExactly("$$ROOT");
		figures.server(this.harness.label()).add("evaluated", 0);
	}

	@Test
	@ShowsRow(value = 42, level = Level.SERVER)
	void withoutAChangeStreamALookFindsTheRelease(RowFigures figures) {
		long begun = System.nanoTime();
		HarnessClient waiting = this.harness.behindProxy(Harness.LONG, Harness.LONG);
		LockHandle handle = this.harness.direct(Harness.LONG).acquire();
		int before = looks();
		CompletableFuture<LockHandle> granted = waiting.acquireAsync();
		Awaitility.await().atMost(Harness.LONG).until(() -> looks() >= before + 5);
		handle.close();
		long released = System.nanoTime();
		assertThat(granted).succeedsWithin(Harness.LONG);
		long delay = System.nanoTime() - released;
		int streams = this.harness.proxy().requests("aggregate");
		assertThat(streams).as("a stream is asked for at growing distances, not with each look")
			.isLessThanOrEqualTo(mostStreams(System.nanoTime() - begun));
		figures.server(this.harness.label())
			.add("grant after", Harness.millis(delay) + " with a retry interval of 100 ms");
	}

	// A refused one is asked for again after 0.5 s at the soonest, then twice that, and
	// so
	// on
	private static int mostStreams(long nanos) {
		int most = 1;
		for (long pause = 500_000_000, left = nanos - pause; left >= 0; left -= pause) {
			most++;
			pause *= 2;
		}
		return most;
	}

	// By a read, or with a refresh, as the claims are
	private int looks() {
		return this.harness.proxy().requests("find") + this.harness.proxy().requests("findandmodify");
	}

	@Test
	@ShowsRow(value = 44, level = Level.SERVER)
	void documentsOfAnOlderAndOfANewerLayoutAreRespected(RowFigures figures) {
		LockHandle held = this.harness.direct(Harness.LONG).acquireUnrenewed();
		HarnessClient other = this.harness.direct(Harness.LONG);
		// older: neither line nor history; newer: fields that nobody here knows
		this.harness.documents()
			.updateOne(new Document("_id", Harness.KEY),
					List.of(new Document("$unset", List.of("queue", "previous", "touchedAt")),
							new Document("$set", new Document("version", 7).append("region", "north"))));
		assertThat(other.tryAcquire()).isEmpty();
		held.renew();
		held.close();
		LockHandle next = other.acquire();
		assertThat(next.fence()).isGreaterThan(held.fence());
		assertThat(this.harness.document().orElseThrow()).containsEntry("version", 7).containsEntry("region", "north");
		figures.server(this.harness.label()).add("overlap", "0 ms");
	}

}
