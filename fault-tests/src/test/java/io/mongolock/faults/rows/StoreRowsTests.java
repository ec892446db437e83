package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.IndexOptions;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;
import io.mongolock.store.mongo.TtlIndexInitializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 25, 26, 29 to 31 and 44: what happens to the server's clock and to the documents
 * behind the back of the holder.
 */
@Timeout(120)
class StoreRowsTests {

	private static final LockRequest ONCE = LockRequest.builder(Rig.KEY).waitTimeout(Duration.ZERO).build();

	private static final LockRequest UNRENEWED = LockRequest.builder(Rig.KEY).autoRenew(false).build();

	@AutoClose
	private final Rig rig = new Rig();

	@Test
	@ShowsRow(value = 25, level = Level.S)
	void aClockSetForwardByLessThanTheMarginOverlapsNobody(RowFigures figures) {
		RigClient client = this.rig.direct(Duration.ofSeconds(5));
		RigClient other = this.rig.direct(Rig.LONG);
		LockHandle handle = client.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofMillis(600));
		LockHandle next = other.acquire();
		long lead = System.nanoTime() - client.told().awaitLoss().nanos();
		assertThat(lead).as("told before the next grant").isPositive();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		assertThat(other.told().steps()).isEmpty();
		figures.server(Rig.SERVER).add("step", "600 ms of a margin of 1000 ms").add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 25, level = Level.S)
	void aClockSetForwardByOneMinuteOverlapsUntilTheNextRenewalAndTheFenceTells(RowFigures figures) {
		RigClient client = this.rig.direct(Duration.ofSeconds(6));
		RigClient other = this.rig.direct(Rig.LONG);
		LockHandle handle = client.acquire();
		this.rig.clock().step(Duration.ofMinutes(1));
		LockHandle next = other.locks().acquire(ONCE);
		long granted = System.nanoTime();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		assertTold(other, Duration.ofMinutes(1));
		Told.Loss loss = client.told().awaitLoss();
		assertThat(loss.reason()).isEqualTo(LossReason.REFUSED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
		next.renew();
		assertThat(other.told().takenOver()).hasSize(1);
		figures.server(Rig.SERVER)
			.add("overlap", Rig.millis(loss.nanos() - granted) + " with a renewal every 1600 ms")
			.add("fence", "rose");
	}

	@Test
	@ShowsRow(value = 26, level = Level.S)
	void aClockSetBackByOneMinuteDelaysTheTakeOverByThatAndNoMore(RowFigures figures) {
		RigClient dead = this.rig.direct(Duration.ofSeconds(6));
		RigClient other = this.rig.direct(Rig.LONG);
		LockHandle handle = dead.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofMinutes(-1));
		dead.told().awaitLoss();
		assertThat(other.locks().tryAcquire(ONCE)).as("not before the server's ttl").isEmpty();
		assertTold(other, Duration.ofMinutes(-1));
		this.rig.clock().step(Duration.ofMinutes(1).plusSeconds(6));
		LockHandle next = other.locks().acquire(ONCE);
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(Rig.SERVER).add("take-over", "at most 60 s late").add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 26, level = Level.S)
	void aHolderRenewsOnWhenTheClockIsSetBackAndTheNextFenceIsHigher(RowFigures figures) {
		RigClient client = this.rig.direct(Duration.ofSeconds(6));
		LockHandle handle = client.acquire();
		this.rig.clock().step(Duration.ofMinutes(-1));
		handle.renew();
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.rig.stored().orElseThrow().liveHolders()).hasSize(1);
		handle.close();
		LockHandle next = client.acquire();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(Rig.SERVER).add("lost", client.told().losses().size());
	}

	@Test
	@ShowsRow(value = 29, level = Level.S)
	void aHolderWhoseDocumentTheTtlIndexRemovedHasLost(RowFigures figures) {
		this.rig.documents()
			.createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(1L, TimeUnit.SECONDS));
		RigClient client = this.rig.direct(Rig.LONG);
		LockHandle handle = client.locks().acquire(UNRENEWED);
		LockHandle unaware = client.locks().acquire(LockRequest.builder("order:2").autoRenew(false).build());
		this.rig.clock().step(Duration.ofSeconds(2));
		assertThat(this.rig.server().runTtlMonitor()).isGreaterThanOrEqualTo(2);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::renew);
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(unaware::close);
		assertThat(this.rig.documents().countDocuments()).as("neither came back").isZero();
		LockHandle next = client.acquire();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(Rig.SERVER).add("resurrected", 0).add("fence regressions", 0);
	}

	@Test
	@ShowsRow(value = 30, level = Level.S)
	void aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal(RowFigures figures) {
		RigClient client = this.rig.direct(Duration.ofSeconds(6));
		LockHandle handle = client.acquire();
		this.rig.documents().drop();
		assertThat(client.told().awaitLoss().reason()).isEqualTo(LossReason.REFUSED);
		assertThat(this.rig.document()).as("not brought back").isEmpty();
		LockHandle next = client.acquire();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(Rig.SERVER).add("fence", "rose by " + (next.fence() - handle.fence()));
	}

	@Test
	@ShowsRow(value = 30, level = Level.S)
	void aRestoredBackupLowersNoFence(RowFigures figures) {
		RigClient client = this.rig.direct(Duration.ofSeconds(6));
		client.acquire().close();
		Document backup = this.rig.document().orElseThrow();
		LockHandle handle = client.locks().acquire(UNRENEWED);
		this.rig.documents().replaceOne(new Document("_id", Rig.KEY), backup);
		LockHandle next = this.rig.direct(Rig.LONG).locks().acquire(ONCE);
		assertThat(next.fence()).isGreaterThan(handle.fence());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::renew);
		figures.server(Rig.SERVER).add("fence regressions", 0);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	@ShowsRow(value = 31, level = Level.S)
	void aTtlIndexWithOtherOptionsIsNamedAndTheLocksAreSafe(RowFigures figures, CapturedOutput output) {
		this.rig.documents()
			.createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(1L, TimeUnit.HOURS));
		new TtlIndexInitializer(new MongoTemplate(this.rig.observer(), Rig.DATABASE), Rig.COLLECTION,
				TtlIndexInitializer.Mode.CREATE, Duration.ofDays(7))
			.initialize();
		assertThat(output).contains("expireAfterSeconds 3600 instead of 604800", "collMod");
		try (LockHandle handle = this.rig.direct(Rig.LONG).acquire()) {
			assertThat(this.rig.direct(Rig.LONG).locks().tryAcquire(ONCE)).isEmpty();
			assertThat(handle.isHeld()).isTrue();
		}
		figures.server(Rig.SERVER).add("warnings", 1);
	}

	@Test
	@ShowsRow(value = 42, level = Level.S)
	void withoutAChangeStreamThePollGrants(RowFigures figures) {
		RigClient waiting = this.rig.behindProxy(Rig.LONG, Rig.LONG);
		LockHandle handle = this.rig.direct(Rig.LONG).acquire();
		int before = this.rig.proxy().requests("findAndModify");
		CompletableFuture<LockHandle> granted = waiting.locks().acquireAsync(LockRequest.of(Rig.KEY));
		this.rig.proxy().awaitRequests("findAndModify", before + 5, Rig.LONG);
		handle.close();
		long released = System.nanoTime();
		assertThat(granted).succeedsWithin(Rig.LONG);
		long delay = System.nanoTime() - released;
		assertThat(this.rig.proxy().requests("aggregate")).as("no stream").isZero();
		figures.server(Rig.SERVER).add("grant after", Rig.millis(delay) + " with a retry interval of 100 ms");
	}

	@Test
	@ShowsRow(value = 44, level = Level.S)
	void documentsOfAnOlderAndOfANewerLayoutAreRespected(RowFigures figures) {
		LockHandle held = this.rig.direct(Rig.LONG).locks().acquire(UNRENEWED);
		RigClient other = this.rig.direct(Rig.LONG);
		// older: neither line nor history; newer: fields that nobody here knows
		this.rig.documents()
			.updateOne(new Document("_id", Rig.KEY),
					List.of(new Document("$unset", List.of("queue", "previous", "touchedAt")),
							new Document("$set", new Document("version", 7).append("region", "north"))));
		assertThat(other.locks().tryAcquire(ONCE)).isEmpty();
		held.renew();
		held.close();
		LockHandle next = other.acquire();
		assertThat(next.fence()).isGreaterThan(held.fence());
		assertThat(this.rig.document().orElseThrow()).containsEntry("version", 7).containsEntry("region", "north");
		figures.server(Rig.SERVER).add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 44, level = Level.S)
	void leasesOfDifferentLengthsAreEachRespected(RowFigures figures) {
		RigClient brief = this.rig.direct(Duration.ofSeconds(1));
		RigClient lengthy = this.rig.direct(Duration.ofSeconds(20));
		LockHandle handle = lengthy.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofSeconds(5));
		assertThat(brief.locks().tryAcquire(ONCE)).as("the lease of its holder counts").isEmpty();
		handle.close();
		LockHandle next = brief.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofSeconds(2));
		assertThat(lengthy.locks().tryAcquire(ONCE)).isPresent();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(Rig.SERVER).add("overlap", "0 ms");
	}

	private static void assertTold(RigClient client, Duration step) {
		await().atMost(Rig.LONG).until(() -> !client.told().steps().isEmpty());
		// what passed while the requests were on their way is not known
		assertThat(client.told().steps().get(0)).isCloseTo(step, Duration.ofSeconds(5));
	}

}
