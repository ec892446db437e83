package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.IndexOptions;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 25, 26, 29 and 44: what happens to the clock of the server. Only that of the
 * embedded one can be set.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class StoreClockRowsTests {

	private static final LockRequest ONCE = LockRequest.builder(Harness.KEY).waitTimeout(Duration.ZERO).build();

	private static final LockRequest UNRENEWED = LockRequest.builder(Harness.KEY).autoRenew(false).build();

	@AutoClose
	private final Harness rig = Harness.embedded();

	@Test
	@ShowsRow(value = 25, level = Level.SERVER)
	void aClockSetForwardByLessThanTheMarginOverlapsNobody(RowFigures figures) {
		HarnessClient client = this.rig.direct(Duration.ofSeconds(5));
		HarnessClient other = this.rig.direct(Harness.LONG);
		LockHandle handle = client.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofMillis(600));
		LockHandle next = other.acquire();
		long lead = System.nanoTime() - client.told().awaitLoss().nanos();
		assertThat(lead).as("told before the next grant").isPositive();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		assertThat(other.told().steps()).isEmpty();
		figures.server(this.rig.label()).add("step", "600 ms of a margin of 1000 ms").add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 25, level = Level.SERVER)
	void aClockSetForwardByOneMinuteOverlapsUntilTheNextRenewalAndTheFenceTells(RowFigures figures) {
		HarnessClient client = this.rig.direct(Duration.ofSeconds(6));
		HarnessClient other = this.rig.direct(Harness.LONG);
		LockHandle handle = client.acquire();
		this.rig.clock().step(Duration.ofMinutes(1));
		LockHandle next = other.locks().acquire(ONCE);
		long granted = System.nanoTime();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		assertTold(other, Duration.ofMinutes(1));
		RecordingLockListener.Loss loss = client.told().awaitLoss();
		assertThat(loss.reason()).isEqualTo(LossReason.REFUSED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
		next.renew();
		assertThat(other.told().takenOver()).hasSize(1);
		figures.server(this.rig.label())
			.add("overlap", Harness.millis(loss.nanos() - granted) + " with a renewal every 1600 ms")
			.add("fence", "rose");
	}

	@Test
	@ShowsRow(value = 26, level = Level.SERVER)
	void aClockSetBackByOneMinuteDelaysTheTakeOverByThatAndNoMore(RowFigures figures) {
		HarnessClient dead = this.rig.direct(Duration.ofSeconds(6));
		HarnessClient other = this.rig.direct(Harness.LONG);
		LockHandle handle = dead.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofMinutes(-1));
		dead.told().awaitLoss();
		assertThat(other.locks().tryAcquire(ONCE)).as("not before the server's ttl").isEmpty();
		assertTold(other, Duration.ofMinutes(-1));
		this.rig.clock().step(Duration.ofMinutes(1).plusSeconds(6));
		LockHandle next = other.locks().acquire(ONCE);
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.rig.label()).add("take-over", "at most 60 s late").add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 26, level = Level.SERVER)
	void aHolderRenewsOnWhenTheClockIsSetBackAndTheNextFenceIsHigher(RowFigures figures) {
		HarnessClient client = this.rig.direct(Duration.ofSeconds(6));
		LockHandle handle = client.acquire();
		this.rig.clock().step(Duration.ofMinutes(-1));
		handle.renew();
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.rig.stored().orElseThrow().liveHolders()).hasSize(1);
		handle.close();
		LockHandle next = client.acquire();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.rig.label()).add("lost", client.told().losses().size());
	}

	@Test
	@ShowsRow(value = 29, level = Level.SERVER)
	void aHolderWhoseDocumentTheTtlIndexRemovedHasLost(RowFigures figures) {
		this.rig.documents()
			.createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(1L, TimeUnit.SECONDS));
		HarnessClient client = this.rig.direct(Harness.LONG);
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
		figures.server(this.rig.label()).add("resurrected", 0).add("fence regressions", 0);
	}

	@Test
	@ShowsRow(value = 44, level = Level.SERVER)
	void leasesOfDifferentLengthsAreEachRespected(RowFigures figures) {
		HarnessClient brief = this.rig.direct(Duration.ofSeconds(1));
		HarnessClient lengthy = this.rig.direct(Duration.ofSeconds(20));
		LockHandle handle = lengthy.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofSeconds(5));
		assertThat(brief.locks().tryAcquire(ONCE)).as("the lease of its holder counts").isEmpty();
		handle.close();
		LockHandle next = brief.locks().acquire(UNRENEWED);
		this.rig.clock().step(Duration.ofSeconds(2));
		assertThat(lengthy.locks().tryAcquire(ONCE)).isPresent();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.rig.label()).add("overlap", "0 ms");
	}

	private static void assertTold(HarnessClient client, Duration step) {
		await().atMost(Harness.LONG).until(() -> !client.told().steps().isEmpty());
		// what passed while the requests were on their way is not known
		assertThat(client.told().steps().get(0)).isCloseTo(step, Duration.ofSeconds(5));
	}

}
