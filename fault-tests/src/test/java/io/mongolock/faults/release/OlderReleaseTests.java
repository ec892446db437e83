package io.mongolock.faults.release;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.SectionCounts;
import io.mongolock.test.server.TestOutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Two processes share locks: one runs the classes of an older commit, the other these.
 * {@code config/older.sh} compiles the older ones and names them.
 */
@Tag("process")
@Timeout(180)
class OlderReleaseTests {

	private static final Duration TTL = Duration.ofSeconds(5);

	private static final Optional<OlderClasses> older = OlderClasses.given();

	@AutoClose
	private final WorkerProcesses processes = new WorkerProcesses();

	private LockWorkerJvm oldWorker;

	private LockWorkerJvm newWorker;

	@BeforeAll
	static void find() {
		if (older.isEmpty()) {
			TestOutput.say("No older release runs beside this one: config/older.sh REVISION names one");
		}
		assumeThat(older).isPresent();
	}

	@BeforeEach
	void start() {
		String classPath = older.orElseThrow().classPath();
		this.oldWorker = this.processes
			.start((histories) -> new LockWorkerJvm(classPath, this.processes.connectionString(), TTL, histories));
		this.newWorker = this.processes.start(TTL);
		this.oldWorker.awaitReady();
		this.newWorker.awaitReady();
	}

	@Test
	void theyExcludeEachOtherAndLoseNoUpdate() {
		CompletableFuture<SectionCounts> olds = this.oldWorker.run(Harness.KEY, 4, 50, 1);
		CompletableFuture<SectionCounts> news = this.newWorker.run(Harness.KEY, 4, 50, 1);
		int completed = olds.join().completed() + news.join().completed();
		this.processes.count(Harness.KEY, completed);
		assertThat(completed).isEqualTo(400);
		this.processes.assertClean();
	}

	@Test
	void eachGrantsAfterTheOtherWithAHigherFence() {
		long first = this.oldWorker.acquire(Harness.KEY);
		CompletableFuture<Long> second = waits(this.newWorker);
		this.oldWorker.release(Harness.KEY);
		assertThat(second).succeedsWithin(Harness.LONG).isNotNull();
		CompletableFuture<Long> third = waits(this.oldWorker);
		this.newWorker.release(Harness.KEY);
		assertThat(third).succeedsWithin(Harness.LONG).isNotNull();
		assertThat(first).isLessThan(second.join());
		assertThat(second.join()).isLessThan(third.join());
		this.oldWorker.release(Harness.KEY);
		this.processes.assertClean();
	}

	@Test
	void eachTakesOverWhatTheOtherLeftAsItDied() {
		this.oldWorker.acquire("of the older");
		this.newWorker.acquire("of the newer");
		LockWorkerJvm heir = this.processes.start(TTL).awaitReady();
		this.processes.kill(this.newWorker);
		this.oldWorker.acquire("of the newer");
		this.oldWorker.release("of the newer");
		this.processes.kill(this.oldWorker);
		heir.acquire("of the older");
		heir.release("of the older");
		this.processes.assertClean();
	}

	private CompletableFuture<Long> waits(LockWorkerJvm worker) {
		CompletableFuture<Long> granted = worker.acquireAsync(Harness.KEY);
		await().atMost(Harness.LONG)
			.until(() -> this.processes.store()
				.find(Harness.KEY, Harness.LONG)
				.filter((lock) -> !lock.queue().isEmpty())
				.isPresent());
		return granted;
	}

}
