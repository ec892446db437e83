package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 46: random faults to the server and to one or several workers at once, for as long
 * as {@code -Dmongo-lock.soak=PT30M} says, in the order that {@code -Dfault-matrix.seed=}
 * decides. What stands still for long is explained by that, except for a holder that asks
 * and is told a lie. Counters are not judged, as a holder that was told that it lost may
 * still be writing its own.
 */
@Tag("process")
@Tag("soak")
@Isolated
class SoakTests {

	private static final Duration TTL = Duration.ofSeconds(6);

	private static final Duration LENGTH = Duration.parse(System.getProperty("mongo-lock.soak", "PT10S"));

	private static final List<String> KEYS = IntStream.range(0, 8).mapToObj((i) -> "soak:" + i).toList();

	@Test
	@ShowsRow(value = 46, level = Level.SERVER)
	void randomFaultsBreakNoPromise(RowFigures figures) throws Exception {
		System.out.println("Soak of " + LENGTH + " with seed " + figures.seed());
		try (WorkerProcesses crew = new WorkerProcesses();
				SoakWorker one = new SoakWorker(crew, TTL, KEYS);
				SoakWorker two = new SoakWorker(crew, TTL, KEYS);
				SoakWorker three = new SoakWorker(crew, TTL, KEYS)) {
			List<SoakWorker> workers = List.of(one, two, three);
			SoakFaults faults = new SoakFaults(figures.seed(), crew, workers, LENGTH.dividedBy(10));
			long start = System.nanoTime();
			while (System.nanoTime() - start < LENGTH.toNanos()) {
				faults.next();
			}
			finish(workers);
			Awaitility.await().atMost(TTL.multipliedBy(3)).until(() -> crew.store().list(100, Harness.LONG).isEmpty());
			HistoryReport report = crew.check();
			figures.server(crew.label()).add("length", LENGTH).add("seed", figures.seed());
			figures.add("faults", faults.count() + ", of which to several processes at once: " + faults.atOnce());
			figures.add("sections", report.sections());
			figures.add("completed", workers.stream().mapToInt(SoakWorker::completed).sum());
			figures.add("losses told", report.losses());
			figures.add("checks", report.checks() + ", of which false: " + report.falseChecks().size());
			figures.add("take-overs of killed holders", report.takenOver().count());
			figures.add("violations", report.violations().size());
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
