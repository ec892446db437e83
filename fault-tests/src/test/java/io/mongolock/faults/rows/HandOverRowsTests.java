package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.client.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockDefaults;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.RecordingLockListener.Loss;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 60 and 61: what befalls a JVM that hands a lock on among its threads.
 */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class HandOverRowsTests {

	private static final int MANY = 1_000_000;

	@Test
	@Tag("process")
	@ShowsRow(value = 60, level = Level.SERVER)
	void aJvmKilledInTheMiddleOfATurnIsTakenOverWithAHigherFence(RowFigures figures) {
		try (WorkerProcesses crew = new WorkerProcesses()) {
			LockWorkerJvm holder = crew.start(Duration.ofSeconds(6));
			LockWorkerJvm next = crew.start(Harness.LONG).awaitReady();
			holder.awaitReady().run(Harness.KEY, 8, MANY, 1);
			// Its turns set fences aside, which its threads are given one after the other
			await().atMost(Harness.LONG).until(() -> reserved(crew) > 0 && crew.check().sections() > 100);
			crew.kill(holder);
			next.acquire(Harness.KEY);
			next.release(Harness.KEY);
			HistoryReport report = crew.assertClean();
			figures.server(crew.label()).add("sections of its turns", report.sections());
		}
	}

	@Test
	@ShowsRow(value = 61, level = Level.SERVER)
	void aLossInTheMiddleOfATurnReachesWhoHoldsThen(RowFigures figures) {
		RecordingLockListener told = new RecordingLockListener();
		try (Harness harness = Harness.onAnyServer()) {
			LockTemplate locks = template(harness, told);
			CompletableFuture<LockHandle> waiting = locks.acquireAsync(LockRequest.of(Harness.KEY));
			LockHandle first = waiting.join();
			CompletableFuture<LockHandle> second = locks.acquireAsync(LockRequest.of(Harness.KEY));
			CompletableFuture<LockHandle> third = locks.acquireAsync(LockRequest.of(Harness.KEY));
			CompletableFuture<LockHandle> fourth = locks.acquireAsync(LockRequest.of(Harness.KEY));
			first.close();
			second.join().close();
			LockHandle holder = third.join();
			assertThat(holder.fence()).as("handed over").isEqualTo(second.join().fence() + 1);
			harness.documents()
				.updateOne(new Document("_id", Harness.KEY), new Document("$set", new Document("holders", List.of())));
			Loss loss = told.awaitLoss();
			assertThat(loss.fence()).isEqualTo(holder.fence());
			assertThat(loss.reason()).isEqualTo(LossReason.REFUSED);
			assertThat(fourth.join().fence()).isGreaterThan(holder.fence());
			assertThat(fourth.join().isHeld()).isTrue();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(holder::close);
			assertThat(fourth.join().isHeld()).isTrue();
			fourth.join().close();
			locks.stop(Duration.ofSeconds(5));
			assertThat(told.losses()).hasSize(1);
			assertThat(harness.holders()).isEmpty();
			figures.server(harness.label()).add("told", loss.reason());
		}
	}

	private static long reserved(WorkerProcesses crew) {
		return crew.store()
			.find(Harness.KEY, Harness.LONG)
			.filter((lock) -> !lock.holders().isEmpty())
			.map((StoredLock lock) -> lock.fence() - lock.holders().get(0).fence())
			.orElse(0L);
	}

	private static LockTemplate template(Harness harness, RecordingLockListener told) {
		LockSettings settings = LockSettings.builder()
			.ttl(Duration.ofSeconds(60))
			.renewInterval(Duration.ofMillis(500))
			.waitTimeout(Duration.ofSeconds(60))
			.build();
		LockTemplate locks = new LockTemplate(HarnessClient.store(harness.observer()),
				new LockDefaults(settings, Map.of()), new LockOwner("rows", "1", "", 1, ""), LockClock.system(),
				List.of(told), LeakDetection.OFF, new HandOver(Duration.ofHours(1), 100));
		locks.start();
		return locks;
	}

}
