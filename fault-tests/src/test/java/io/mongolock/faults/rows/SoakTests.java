package io.mongolock.faults.rows;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 46: random faults for as long as {@code -Dmongo-lock.soak=PT30M} says, in the order
 * that {@code -Dfault-matrix.seed=} decides. Counters are not judged, as a holder that
 * was told that it lost may still be writing its own.
 */
class SoakTests {

	private static final Duration TTL = Duration.ofSeconds(6);

	/** Two thirds of the margin: what goes beyond that is row 5. */
	private static final Duration MAX_PAUSE = Duration.ofMillis(800);

	private static final Duration LENGTH = Duration.parse(System.getProperty("mongo-lock.soak", "PT2M"));

	private static final List<String> KEYS = IntStream.range(0, 8).mapToObj((i) -> "soak:" + i).toList();

	@Test
	@ShowsRow(value = 46, level = Level.SERVER)
	void randomFaultsBreakNoPromise(RowFigures figures, @TempDir Path directory) throws Exception {
		System.out.println("Soak of " + LENGTH + " with seed " + figures.seed());
		try (WorkerProcesses crew = new WorkerProcesses(directory);
				SoakWorker one = new SoakWorker(crew, TTL, KEYS);
				SoakWorker two = new SoakWorker(crew, TTL, KEYS);
				SoakWorker three = new SoakWorker(crew, TTL, KEYS)) {
			List<SoakWorker> workers = List.of(one, two, three);
			SoakFaults faults = new SoakFaults(figures.seed(), workers, MAX_PAUSE);
			long start = System.nanoTime();
			while (System.nanoTime() - start < LENGTH.toNanos()) {
				faults.next();
			}
			finish(workers);
			Awaitility.await().atMost(TTL.multipliedBy(3)).until(() -> crew.store().list(100, Harness.LONG).isEmpty());
			HistoryReport report = crew.check();
			figures.server(crew.label())
				.add("length", LENGTH)
				.add("seed", figures.seed())
				.add("faults", faults.count())
				.add("sections", report.sections())
				.add("completed", workers.stream().mapToInt(SoakWorker::completed).sum())
				.add("losses told", report.losses())
				.add("take-overs of killed holders", report.timings().takenOver().count())
				.add("violations", report.violations().size());
			assertThat(report.violations()).as(() -> "Seed " + figures.seed() + "\n" + report.toTable()).isEmpty();
			assertThat(report.sections()).as("work went on").isGreaterThan((int) LENGTH.toSeconds());
		}
	}

	private static void finish(List<SoakWorker> workers)
			throws InterruptedException, ExecutionException, TimeoutException {
		workers.forEach((worker) -> worker.proxy().heal());
		for (SoakWorker worker : workers) {
			worker.finish();
		}
		for (SoakWorker worker : workers) {
			worker.finish().get(150, TimeUnit.SECONDS);
		}
	}

}
