package io.mongolock.faults.rows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.LockLostException;
import io.mongolock.StaleFenceException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.LockStatus;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.WorkerFailedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 4 to 7: processes that are killed, suspended or starved while they hold a lock.
 */
@Timeout(180)
class HolderRowsTests {

	private WorkerProcesses crew;

	@BeforeEach
	void start(@TempDir Path directory) {
		this.crew = new WorkerProcesses(directory);
	}

	@AfterEach
	void stop() {
		this.crew.close();
	}

	@Test
	@ShowsRow(value = 4, level = Level.SERVER)
	void aKilledHolderIsTakenOverWhenItsLeaseHasRunOutAndNotBefore(RowFigures figures) {
		LockWorkerJvm holder = this.crew.start(Duration.ofSeconds(3));
		LockWorkerJvm next = this.crew.start(Duration.ofSeconds(3)).awaitReady();
		long fence = holder.awaitReady().acquire(Harness.KEY);
		CompletableFuture<Long> granted = next.acquireAsync(Harness.KEY);
		this.crew.kill(holder);
		long dead = System.nanoTime();
		long left = this.crew.remaining(Harness.KEY).toNanos();
		assertThat(granted).succeedsWithin(Harness.LONG.toSeconds(), TimeUnit.SECONDS);
		assertThat(granted.join()).isGreaterThan(fence);
		long takeOver = System.nanoTime() - dead;
		// what the server says is rounded to milliseconds
		assertThat(takeOver).isGreaterThan(left - 5_000_000);
		next.release(Harness.KEY);
		assertClean();
		figures.server(this.crew.label())
			.add("take-over", Harness.millis(takeOver))
			.add("lease left", Harness.millis(left));
	}

	@Test
	@ShowsRow(value = 5, level = Level.SERVER)
	void aHolderSuspendedBeyondItsLeaseLearnsThatItLostAndCanWriteNothing(RowFigures figures) {
		this.crew.insertGuarded(Harness.KEY);
		LockWorkerJvm holder = this.crew.start(Duration.ofSeconds(3));
		LockWorkerJvm next = this.crew.start(Duration.ofSeconds(30)).awaitReady();
		holder.awaitReady().acquire(Harness.KEY);
		holder.write(Harness.KEY, 1);
		holder.jvm().suspend();
		next.acquire(Harness.KEY);
		next.write(Harness.KEY, 2);
		holder.jvm().resume();
		assertThatExceptionOfType(WorkerFailedException.class).isThrownBy(() -> holder.write(Harness.KEY, 3))
			.returns(StaleFenceException.class.getName(), WorkerFailedException::getType);
		assertThat(holder.status(Harness.KEY)).as("at its first check").isEqualTo(LockStatus.LOST);
		assertThatExceptionOfType(WorkerFailedException.class).isThrownBy(() -> holder.release(Harness.KEY))
			.returns(LockLostException.class.getName(), WorkerFailedException::getType);
		assertThat(this.crew.remaining(Harness.KEY)).as("the new holder's").isPositive();
		assertThat(next.status(Harness.KEY)).isEqualTo(LockStatus.HELD);
		assertThat(this.crew.guarded(Harness.KEY)).containsEntry("value", 2L);
		next.release(Harness.KEY);
		await().atMost(Harness.LONG).until(() -> this.crew.check().losses() == 1);
		HistoryReport report = this.crew.check();
		assertThat(report.fences()).isEmpty();
		assertThat(report.overlapNanos(false)).as("what no lease can prevent").isPositive();
		figures.server(this.crew.label())
			.add("overlap while suspended", Harness.millis(report.overlapNanos(false)))
			.add("stale writes accepted", 0);
	}

	@Test
	@ShowsRow(value = 6, level = Level.SERVER)
	void aHolderSuspendedForLessThanItReliesOnKeepsTheLock(RowFigures figures) {
		LockWorkerJvm holder = this.crew.start(Duration.ofSeconds(20)).awaitReady();
		holder.acquire(Harness.KEY);
		holder.jvm().suspend();
		// longer than a renewal interval of 5.3 s, shorter than the 16 s relied on
		await().atMost(Harness.LONG).until(() -> this.crew.remaining(Harness.KEY).toMillis() < 13_500);
		holder.jvm().resume();
		assertThat(holder.status(Harness.KEY)).isEqualTo(LockStatus.HELD);
		await().atMost(Harness.LONG).until(() -> this.crew.remaining(Harness.KEY).toMillis() > 18_000);
		holder.release(Harness.KEY);
		assertClean();
		figures.server(this.crew.label()).add("suspended", "more than 6500 ms").add("lost", this.crew.check().losses());
	}

	@Test
	@ShowsRow(value = 7, level = Level.SERVER)
	void aStarvedHolderKeepsTheLockOrIsToldBeforeTheNextGrant(RowFigures figures) {
		LockWorkerJvm holder = this.crew.start(Duration.ofSeconds(5));
		LockWorkerJvm next = this.crew.start(Duration.ofSeconds(5)).awaitReady();
		holder.awaitReady().acquire(Harness.KEY);
		CompletableFuture<Long> granted = next.acquireAsync(Harness.KEY);
		long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
		while (System.nanoTime() - end < 0) {
			holder.jvm().suspend();
			LockSupport.parkNanos(Duration.ofMillis(250).toNanos());
			holder.jvm().resume();
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
		boolean kept = !granted.isDone();
		if (kept) {
			assertThat(holder.status(Harness.KEY)).isEqualTo(LockStatus.HELD);
			holder.release(Harness.KEY);
		}
		assertThat(granted).succeedsWithin(Harness.LONG.toSeconds(), TimeUnit.SECONDS);
		next.release(Harness.KEY);
		HistoryReport report = assertClean();
		figures.server(this.crew.label())
			.add("running", "7 % of the time, for 2 ttls")
			.add("kept", kept)
			.add("lost", report.losses())
			.add("overlap", Harness.millis(report.overlapNanos(false)));
	}

	private HistoryReport assertClean() {
		this.crew.writeHeld();
		HistoryReport report = this.crew.check();
		assertThat(report.violations()).as(report::toTable).isEmpty();
		return report;
	}

}
