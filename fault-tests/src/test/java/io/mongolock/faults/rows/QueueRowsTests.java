package io.mongolock.faults.rows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.QueueCheck;
import io.mongolock.faults.harness.history.QueueCheck.Answer;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.QueueWorker;
import io.mongolock.faults.harness.worker.WorkerJvm;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 55, 56 and 58: processes that wait in the queue, and some of them die.
 */
@Tag("process")
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class QueueRowsTests {

	private static final int ROUNDS = 13;

	@AutoClose
	private final WorkerProcesses processes = new WorkerProcesses();

	@Test
	@ShowsRow(value = 55, level = Level.SERVER)
	void aKilledWaiterAtTheHeadCostsTheLifeOfItsPlace(RowFigures figures) {
		List<LockWorkerJvm> workers = this.processes.start(3, Harness.LONG);
		workers.get(0).acquire(Harness.KEY);
		waits(workers.get(1));
		CompletableFuture<Long> next = waits(workers.get(2));
		this.processes.kill(workers.get(1));
		workers.get(0).release(Harness.KEY);
		long released = System.nanoTime();
		assertGranted(next);
		long waited = System.nanoTime() - released;
		workers.get(2).release(Harness.KEY);
		this.processes.assertClean();
		figures.server(this.processes.label()).add("granted after the release", Harness.millis(waited));
		figures.add("life of a place", Harness.millis(LockWorkerJvm.PLACE_TTL.toNanos()));
	}

	@Test
	@ShowsRow(value = 56, level = Level.SERVER)
	void aKilledWaiterInTheMiddleDelaysOnlyThoseBehindIt(RowFigures figures) {
		List<LockWorkerJvm> workers = this.processes.start(4, Harness.LONG);
		workers.get(0).acquire(Harness.KEY);
		CompletableFuture<Long> first = waits(workers.get(1));
		waits(workers.get(2));
		CompletableFuture<Long> last = waits(workers.get(3));
		this.processes.kill(workers.get(2));
		workers.get(0).release(Harness.KEY);
		assertGranted(first);
		assertThat(last).isNotDone();
		workers.get(1).release(Harness.KEY);
		assertGranted(last);
		workers.get(3).release(Harness.KEY);
		this.processes.assertClean();
		figures.server(this.processes.label()).add("order", "kept");
	}

	@Test
	@ShowsRow(value = 58, level = Level.SERVER)
	void processesAreServedInTheOrderOfTheirComing(RowFigures figures) {
		List<LockWorkerJvm> workers = this.processes.start(9, Harness.LONG);
		workers.get(0).acquire(Harness.KEY);
		List<CompletableFuture<Long>> waiting = new ArrayList<>();
		workers.stream().skip(1).forEach((worker) -> waiting.add(waits(worker)));
		long start = System.nanoTime();
		workers.get(0).release(Harness.KEY);
		for (int i = 0; i < waiting.size(); i++) {
			assertGranted(waiting.get(i));
			assertThat(waiting.subList(i + 1, waiting.size())).as("granted out of turn")
				.noneMatch(CompletableFuture::isDone);
			workers.get(i + 1).release(Harness.KEY);
		}
		long took = System.nanoTime() - start;
		this.processes.assertClean();
		figures.server(this.processes.label()).add("JVMs", 8).add("out of turn", 0);
		figures.add("per turn", Harness.millis(took / 8));
	}

	@Test
	@ShowsRow(value = 58, level = Level.SERVER)
	void inEveryRoundProcessesThatComeInAnyOrderAreServedInThatOrder(RowFigures figures) {
		try (WorkerProcesses set = WorkerProcesses.onReplicaSet()) {
			List<LockWorkerJvm> workers = new ArrayList<>(set.start(5, Harness.LONG));
			Random order = new Random(58);
			long took = 0;
			for (int round = 0; round < ROUNDS; round++) {
				Collections.shuffle(workers, order);
				workers.get(0).acquire(Harness.KEY);
				List<CompletableFuture<Long>> waiting = new ArrayList<>();
				workers.stream().skip(1).forEach((worker) -> waiting.add(waits(set, worker)));
				long start = System.nanoTime();
				for (int i = 0; i < waiting.size(); i++) {
					workers.get(i).release(Harness.KEY);
					assertGranted(waiting.get(i));
					assertThat(waiting.subList(i + 1, waiting.size())).as("granted out of turn")
						.noneMatch(CompletableFuture::isDone);
				}
				took += System.nanoTime() - start;
				workers.get(waiting.size()).release(Harness.KEY);
			}
			set.assertClean();
			figures.server(set.label()).add("JVMs", 5).add("rounds", ROUNDS).add("out of turn", 0);
			figures.add("per turn", Harness.millis(took / ROUNDS / 4));
		}
	}

	@Test
	@ShowsRow(value = 58, level = Level.SERVER)
	void noGrantOfExclusiveSharedAndLimitedLocksPassesOneInQueue(RowFigures figures) {
		try (WorkerProcesses set = WorkerProcesses.onReplicaSet()) {
			List<Answer> history = history(set.target().connectionString());
			QueueCheck check = new QueueCheck(history);
			assertThat(check.passings()).isEmpty();
			List<String> keys = List.of(QueueWorker.EXCLUSIVE, QueueWorker.SHARED, QueueWorker.LIMITED);
			assertThat(keys).allSatisfy((key) -> assertThat(check.waited(key)).as("waited behind others").isPositive());
			figures.server(set.label()).add("JVMs", 8);
			figures.add("grants of the store", history.stream().filter(Answer::granted).count());
			figures.add("of them behind others in the queue", keys.stream().mapToInt(check::waited).sum());
			figures.add("out of turn", 0);
		}
	}

	private List<Answer> history(String uri) {
		List<WorkerJvm<QueueWorker>> workers = Stream
			.generate(() -> new WorkerJvm<>(List.of("-Xmx128m"), () -> new QueueWorker(uri)))
			.limit(8)
			.toList();
		try {
			workers.forEach(WorkerJvm::awaitReady);
			return workers.stream()
				.map((worker) -> worker.send((line) -> line.run(4, 25)))
				.toList()
				.stream()
				.flatMap((answers) -> answers.join().stream())
				.toList();
		}
		finally {
			workers.forEach(WorkerJvm::close);
		}
	}

	private CompletableFuture<Long> waits(LockWorkerJvm worker) {
		return waits(this.processes, worker);
	}

	private static CompletableFuture<Long> waits(WorkerProcesses processes, LockWorkerJvm worker) {
		CompletableFuture<Long> granted = worker.acquireAsync(Harness.KEY);
		await().atMost(Harness.LONG).until(() -> queue(processes).contains(worker.process().pid()));
		return granted;
	}

	private static List<Long> queue(WorkerProcesses processes) {
		return processes.store()
			.find(Harness.KEY, Harness.LONG)
			.map(StoredLock::queue)
			.orElse(List.of())
			.stream()
			.map(StoredWaiter::owner)
			.map((owner) -> owner.pid())
			.toList();
	}

	private void assertGranted(CompletableFuture<Long> granted) {
		assertThat(granted).succeedsWithin(Harness.LONG.toSeconds(), TimeUnit.SECONDS);
	}

}
