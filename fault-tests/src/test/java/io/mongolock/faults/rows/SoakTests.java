package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.MixedWorkers;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.register.RegisterReport;
import io.mongolock.faults.harness.worker.MixedWorker;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 46: random faults to one server, to one or several workers at once and to their
 * messages, for as long as {@code -Dmongo-lock.soak=PT30M} says, in the order that
 * {@code -Dfault-matrix.seed=} decides. What stands still for long is explained by that,
 * except for a holder that asks and gets a wrong answer.
 */
@Tag("process")
@Tag("soak")
@Isolated
class SoakTests {

	private static final int WORKERS = 3;

	private static final Duration LENGTH = Duration.parse(System.getProperty("mongo-lock.soak", "PT10S"));

	@Test
	@ShowsRow(value = 46, level = Level.SERVER)
	void randomFaultsBreakNoPromise(RowFigures figures) {
		System.out.println("Soak of " + LENGTH + " with seed " + figures.seed());
		try (WorkerProcesses processes = new WorkerProcesses()) {
			List<FaultProxy> proxies = Stream
				.generate(() -> FaultProxy.to(processes.target().host(), processes.target().port()))
				.limit(WORKERS)
				.toList();
			// What else is sent than requests for locks has no deadline of its own
			MixedWorkers workers = new MixedWorkers(processes, WORKERS, figures.seed(),
					(place) -> processes.target().through(proxies.get(place)) + "&timeoutMS=10000");
			SoakFaults faults = new SoakFaults(figures.seed(), processes, workers, proxies, LENGTH.dividedBy(10));
			long start = System.nanoTime();
			while (System.nanoTime() - start < LENGTH.toNanos()) {
				faults.next();
			}
			proxies.forEach(FaultProxy::heal);
			workers.finish();
			Awaitility.await()
				.atMost(MixedWorker.LONG_TTL.multipliedBy(2))
				.until(() -> processes.store().list(100, Harness.LONG).isEmpty());
			proxies.forEach(FaultProxy::close);
			HistoryReport report = processes.check();
			figures.server(processes.label()).add("length", LENGTH).add("seed", figures.seed());
			figures.add("faults", faults.count() + ", of which to several processes at once: " + faults.atOnce());
			figures.add("sections", report.sections()).add("losses notified", report.losses());
			figures.add("checks", report.checks() + ", of which false: " + report.falseChecks().size());
			figures.add("acknowledged writes", report.writes()).add("numbers", report.numbers());
			figures.add("take-overs of killed holders", report.takenOver().count());
			figures.add("violations", report.violations().size());
			RegisterReport registers = processes.checkRegisters();
			figures.add("operations judged as those of registers", registers.operations());
			System.out.println(registers);
			String table = "Seed " + figures.seed() + "\n" + report.toTable() + "\n" + registers;
			assertThat(report.violations()).as(() -> table).isEmpty();
			assertThat(registers.refusals()).as(() -> table).isEmpty();
			assertThat(registers.operations()).as("operations").isGreaterThan(report.sections());
			assertThat(report.sections()).as("work went on").isGreaterThan((int) LENGTH.toSeconds());
		}
	}

}
