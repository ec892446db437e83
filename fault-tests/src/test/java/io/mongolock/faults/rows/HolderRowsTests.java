package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockLostException;
import io.mongolock.StaleFenceException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.LockWorkerJvm.Status;
import io.mongolock.faults.harness.worker.SectionCounts;
import io.mongolock.faults.harness.worker.WorkerJvm.FailedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Rows 4 to 7 and 60: processes that are killed, suspended or starved while they hold a
 * lock.
 */
@Tag("process")
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class HolderRowsTests {

	/** Of which 9.6 s are relied on, enough for a few steps on a busy machine. */
	private static final Duration TTL = Duration.ofSeconds(12);

	@AutoClose
	private final WorkerProcesses processes = new WorkerProcesses();

	@Test
	@ShowsRow(value = 4, level = Level.SERVER)
	void aKilledHolderIsTakenOverWhenItsLeaseHasRunOutAndNotBefore(RowFigures figures) {
		LockWorkerJvm holder = this.processes.start(TTL);
		LockWorkerJvm next = this.processes.start(Harness.LONG).awaitReady();
		long fence = holder.awaitReady().acquire(Harness.KEY);
		CompletableFuture<Long> granted = next.acquireAsync(Harness.KEY);
		this.processes.kill(holder);
		long dead = System.nanoTime();
		long left = this.processes.remaining(Harness.KEY).toNanos();
		assertThat(granted).succeedsWithin(Harness.LONG.toSeconds(), TimeUnit.SECONDS);
		assertThat(granted.join()).isGreaterThan(fence);
		long takeOver = System.nanoTime() - dead;
		// What the server says is rounded to milliseconds
		assertThat(takeOver).isGreaterThan(left - 5_000_000);
		next.release(Harness.KEY);
		assertThat(this.processes.assertClean().takenOver().count()).isOne();
		figures.server(this.processes.label()).add("take-over", Harness.millis(takeOver));
		figures.add("lease left", Harness.millis(left));
	}

	@Test
	@ShowsRow(value = 60, level = Level.SERVER)
	void aHolderKilledInTheMiddleOfATurnIsTakenOverWithAHigherFence(RowFigures figures) {
		LockWorkerJvm holder = this.processes.start(Duration.ofSeconds(6));
		LockWorkerJvm next = this.processes.start(Harness.LONG).awaitReady();
		holder.awaitReady().run(Harness.KEY, 8, 1_000_000, 1);
		// Its turns set fences aside, which its threads are given one after the other
		await().atMost(Harness.LONG).until(() -> setAside() > 0 && this.processes.check().sections() > 100);
		this.processes.kill(holder);
		next.acquire(Harness.KEY);
		next.release(Harness.KEY);
		HistoryReport report = this.processes.assertClean();
		figures.server(this.processes.label()).add("sections of its turns", report.sections());
	}

	@Test
	@ShowsRow(value = 5, level = Level.SERVER)
	void aHolderSuspendedBeyondItsLeaseLearnsThatItLostAndCanWriteNothing(RowFigures figures) {
		this.processes.guarded().insertOne(new Document("_id", Harness.KEY));
		LockWorkerJvm holder = this.processes.start(TTL);
		LockWorkerJvm next = this.processes.start(Duration.ofSeconds(60)).awaitReady();
		int before = suspendAsHolder(holder.awaitReady());
		next.acquire(Harness.KEY);
		next.write(Harness.KEY, 2);
		holder.process().resume();
		assertThatExceptionOfType(FailedException.class).isThrownBy(() -> holder.write(Harness.KEY, 3))
			.returns(StaleFenceException.class.getName(), FailedException::getType);
		assertThat(holder.status(Harness.KEY)).as("at its first check").isEqualTo(Status.LOST);
		assertThatExceptionOfType(FailedException.class).isThrownBy(() -> holder.release(Harness.KEY))
			.returns(LockLostException.class.getName(), FailedException::getType);
		assertThat(this.processes.remaining(Harness.KEY)).as("the new holder's").isPositive();
		assertThat(next.status(Harness.KEY)).isEqualTo(Status.HELD);
		assertThat(this.processes.guarded().find().first()).containsEntry("value", 2L);
		next.release(Harness.KEY);
		assertThat(next.status(Harness.KEY)).isEqualTo(Status.NONE);
		await().atMost(Harness.LONG).until(() -> this.processes.check().losses() == before + 1);
		HistoryReport report = this.processes.check();
		assertThat(report.fences()).isEmpty();
		assertThat(report.overlapNanos(false)).as("what no lease can prevent").isPositive();
		figures.server(this.processes.label())
			.add("overlap while suspended", Harness.millis(report.overlapNanos(false)));
		figures.add("stale writes accepted", 0);
	}

	@Test
	@ShowsRow(value = 6, level = Level.SERVER)
	void aHolderSuspendedForLessThanItReliesOnKeepsTheLock(RowFigures figures) {
		LockWorkerJvm holder = this.processes.start(Duration.ofSeconds(30)).awaitReady();
		holder.acquire(Harness.KEY);
		holder.process().suspend();
		// Longer than a renewal interval of 8 s, shorter than the 24 s relied on
		await().atMost(Harness.LONG).until(() -> this.processes.remaining(Harness.KEY).toMillis() < 20_000);
		holder.process().resume();
		assertThat(holder.status(Harness.KEY)).isEqualTo(Status.HELD);
		await().atMost(Harness.LONG).until(() -> this.processes.remaining(Harness.KEY).toMillis() > 22_000);
		holder.release(Harness.KEY);
		this.processes.assertClean();
		figures.server(this.processes.label()).add("suspended", "until 10 s after its last renewal");
		figures.add("lost", this.processes.check().losses());
	}

	@Test
	@ShowsRow(value = 7, level = Level.SERVER)
	void aStarvedHolderIsSureOfTheLockOnlyWhileNobodyElseHasIt(RowFigures figures) {
		LockWorkerJvm holder = this.processes.start(Duration.ofSeconds(5));
		LockWorkerJvm next = this.processes.start(Harness.LONG).awaitReady();
		CompletableFuture<SectionCounts> work = holder.awaitReady().run(Harness.KEY, 1, 1, 15_000);
		awaitSections(1);
		CompletableFuture<SectionCounts> others = next.run(Harness.KEY, 1, 20, 100);
		// 7 % of the time for a ttl, and once for half of what it relies on
		for (int i = 0; i < 20; i++) {
			suspend(holder, Duration.ofMillis((i != 10) ? 250 : 2000));
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
		assertThat(work).succeedsWithin(Duration.ofSeconds(90));
		assertThat(others).succeedsWithin(Duration.ofSeconds(90));
		int before = this.processes.check().sections();
		CompletableFuture<SectionCounts> longWork = holder.run(Harness.KEY, 1, 1, 60_000);
		awaitSections(before + 1);
		// Beyond the lease, and until another has it
		this.processes.suspend(List.of(holder), () -> next.acquire(Harness.KEY));
		assertThat(longWork).succeedsWithin(Duration.ofSeconds(90)).isEqualTo(new SectionCounts(0, 1, 0, 0));
		next.release(Harness.KEY);
		HistoryReport report = this.processes.assertClean();
		assertThat(report.checks()).as("checks").isGreaterThanOrEqualTo(3);
		figures.server(this.processes.label());
		figures.add("running", "7 % of the time for a ttl, then not for 2 s, then not for a lease");
		figures.add("kept through the first two", work.join().completed() == 1).add("lost", report.losses());
		figures.add("checks that were wrong", report.falseChecks().size());
		figures.add("overlap while suspended", Harness.millis(report.overlapNanos(false)));
	}

	/**
	 * Suspend a process while it holds the lock. On a starved machine it may lose it
	 * before; then once more.
	 * @return how often it was notified of a loss before
	 */
	private int suspendAsHolder(LockWorkerJvm holder) {
		for (int lost = 0;; lost++) {
			holder.acquire(Harness.KEY);
			holder.write(Harness.KEY, 1);
			holder.process().suspend();
			if (this.processes.check().losses() == lost) {
				return lost;
			}
			holder.process().resume();
			// May succeed after the loss, because nobody was granted meanwhile
			catchThrowable(() -> holder.release(Harness.KEY));
		}
	}

	private long setAside() {
		return this.processes.store()
			.find(Harness.KEY, Harness.LONG)
			.filter((lock) -> !lock.holders().isEmpty())
			.map((lock) -> lock.fence() - lock.holders().get(0).fence())
			.orElse(0L);
	}

	private void suspend(LockWorkerJvm worker, Duration time) {
		this.processes.suspend(List.of(worker), () -> LockSupport.parkNanos(time.toNanos()));
	}

	// By what the processes know, not the store: one that has not heard of its grant
	// works under no lock yet
	private void awaitSections(int number) {
		await().atMost(Harness.LONG).until(() -> this.processes.check().sections() == number);
	}

}
