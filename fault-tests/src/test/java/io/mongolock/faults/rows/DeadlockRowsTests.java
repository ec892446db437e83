package io.mongolock.faults.rows;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.TestAbortedException;

import io.mongolock.client.ClientOptions.OnDeadlock;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.DeadlockWorker;
import io.mongolock.faults.harness.worker.WorkerJvm;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 102: three processes lock a and b, b and c, and c and a.
 */
@Timeout(300)
class DeadlockRowsTests {

	private static final int NUMBER = 3;

	@Test
	@Tag("real-server")
	@ShowsRow(value = 102, level = Level.REPLICA_SET)
	void eachOfThreeProcessesThatWaitInARingIsTold(RowFigures figures) {
		run(OnDeadlock.WARN, figures, "each is told after", (workers, ends) -> {
			workers.forEach((worker) -> assertThat(worker.ask(DeadlockWorker::awaitDeadlock)).isEqualTo(NUMBER));
			assertThat(ends).noneMatch(CompletableFuture::isDone);
		});
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 102, level = Level.REPLICA_SET)
	void oneOfThreeProcessesThatWaitInARingFailsAndTheOthersGoOn(RowFigures figures) {
		run(OnDeadlock.FAIL, figures, "all have ended after",
				(workers, ends) -> assertThat(ends.stream().map(CompletableFuture::join)).hasSize(NUMBER)
					.containsOnlyOnce(false));
	}

	private static void run(OnDeadlock onDeadlock, RowFigures figures, String after,
			BiConsumer<List<WorkerJvm<DeadlockWorker>>, List<CompletableFuture<Boolean>>> end) {
		MongodBinary mongod = MongodBinary.find()
			.orElseThrow(() -> new TestAbortedException(
					"needs a mongod: set " + MongodBinary.NAME + " to one, which config/mongod.sh brings"));
		try (RealMongo set = RealMongo.builder(mongod).replicaSet(3).start()) {
			String uri = set.connectionString();
			List<WorkerJvm<DeadlockWorker>> workers = IntStream.range(0, NUMBER)
				.mapToObj((number) -> new WorkerJvm<>(List.of("-Xmx128m"), () -> new DeadlockWorker(uri, onDeadlock)))
				.toList();
			try {
				workers.forEach(WorkerJvm::awaitReady);
				List<CompletableFuture<Boolean>> ends = IntStream.range(0, NUMBER)
					.mapToObj((number) -> nest(workers.get(number), "k" + number, "k" + (number + 1) % NUMBER))
					.toList();
				workers.forEach((worker) -> worker.ask(DeadlockWorker::awaitHeld));
				long begun = System.nanoTime();
				workers.forEach((worker) -> worker.ask(DeadlockWorker::begin));
				end.accept(workers, ends);
				figures.server(set.label()).add("JVMs", NUMBER).add(after, Harness.millis(System.nanoTime() - begun));
			}
			finally {
				workers.forEach(WorkerJvm::close);
			}
		}
	}

	private static CompletableFuture<Boolean> nest(WorkerJvm<DeadlockWorker> worker, String outer, String inner) {
		return worker.send((locks) -> locks.nest(outer, inner));
	}

}
