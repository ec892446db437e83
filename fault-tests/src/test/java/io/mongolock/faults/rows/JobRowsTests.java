package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.faults.harness.FakeTime;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.JobWorkers;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryRecord.Began;
import io.mongolock.faults.harness.history.JobReport;
import io.mongolock.faults.harness.history.JobReport.Run;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.JobWorker;
import io.mongolock.faults.harness.worker.WorkerJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Rows 98 and 99: processes have the same jobs, and each tick of them is run once,
 * however far their clocks are apart and whichever of them dies.
 */
@Tag("process")
@Timeout(300)
class JobRowsTests {

	private static final Duration TTL = Duration.ofSeconds(8);

	private static final Duration OFF = Duration.ofMinutes(10);

	private static final int TICKS = 12;

	@Test
	@ShowsRow(value = 98, level = Level.SERVER)
	void eachTickIsRunOnceByInstancesWhoseClocksDiffer(RowFigures figures) {
		FakeTime time = FakeTime.ofThisMachine();
		List<Map<String, String>> environments = List.of(time.ofJvmOffBy(OFF), Map.of(),
				time.ofJvmOffBy(OFF.negated()));
		try (WorkerProcesses processes = new WorkerProcesses()) {
			JobWorkers workers = new JobWorkers(processes, 3, TTL, Duration.ofMillis(200), environments::get);
			List<Long> clocks = workers.workers().stream().map((one) -> one.<Long>ask(JobWorker::clock)).toList();
			assertThat(Duration.ofMillis(clocks.get(0) - clocks.get(2))).isGreaterThan(OFF);
			await().atMost(Harness.LONG.multipliedBy(3))
				.until(() -> JobWorker.JOBS.stream()
					.allMatch((job) -> succeeded(workers.report().of(job)).count() >= TICKS));
			JobReport report = workers.finish();
			figures.server(processes.label()).add("clocks", "10 min ahead, right, 10 min behind");
			assertClean(report, figures);
			assertThat(report.runs()).allSatisfy((run) -> {
				// A busy machine may begin late, and so meet the next tick, or look late
				assertThat(run.outcome()).isIn("SUCCEEDED", "SKIPPED", "MISSED");
				assertThat(run.startedAt() - run.tick()).isBetween(0L, OFF.dividedBy(10).toMillis());
			});
			LongSummaryStatistics ticks = report.runs().stream().collect(Collectors.summarizingLong(Run::tick));
			assertThat(Duration.ofMillis(ticks.getMax() - ticks.getMin())).as("by one clock")
				.isLessThan(OFF.dividedBy(2));
			assertThat(report.began()).allMatch((one) -> one.attempt() == 1)
				.hasSize((int) succeeded(report.runs()).count());
			assertThat(report.began().stream().map(Began::process).distinct()).as("those that ran some")
				.hasSizeGreaterThan(1);
			processes.assertClean();
		}
	}

	@Test
	@ShowsRow(value = 99, level = Level.SERVER)
	void whereTheRunnerDiesAnotherRunsTheTickAgain(RowFigures figures) {
		try (WorkerProcesses processes = new WorkerProcesses()) {
			JobWorkers workers = new JobWorkers(processes, 2, TTL, Duration.ofSeconds(8), (place) -> Map.of());
			Began first = await().atMost(Harness.LONG)
				.until(() -> began(workers).findFirst().orElse(null), (one) -> one != null);
			long killed = System.nanoTime();
			workers.replace(place(workers, first.process()));
			Began again = await().atMost(Harness.LONG)
				.until(() -> began(workers).filter((one) -> one.tick() == first.tick() && one.attempt() == 2)
					.findFirst()
					.orElse(null), (one) -> one != null);
			JobReport report = workers.finish();
			figures.server(processes.label())
				.add("ttl", TTL)
				.add("run again after", Harness.millis(again.nanos() - killed));
			assertClean(report, figures);
			assertThat(again.fence()).isGreaterThan(first.fence());
			assertThat(report.of(JobWorker.LONG)).filteredOn((run) -> run.tick() == first.tick())
				.extracting(Run::outcome, Run::attempt)
				.containsExactly(tuple("SUCCEEDED", 2));
			processes.assertClean();
		}
	}

	private static Stream<Run> succeeded(List<Run> runs) {
		return runs.stream().filter((run) -> run.outcome().equals("SUCCEEDED"));
	}

	private static Stream<Began> began(JobWorkers workers) {
		return workers.report().began().stream().filter((one) -> one.job().equals(JobWorker.LONG));
	}

	private static int place(JobWorkers workers, String process) {
		List<String> pids = workers.workers()
			.stream()
			.map(WorkerJvm::process)
			.map((one) -> String.valueOf(one.pid()))
			.toList();
		return pids.indexOf(process);
	}

	private static void assertClean(JobReport report, RowFigures figures) {
		JobWorker.JOBS.forEach((job) -> figures.add("ticks of " + job, report.outcomes(job)));
		assertThat(report.violations()).isEmpty();
		assertThat(JobWorker.JOBS)
			.allSatisfy((job) -> assertThat(report.holes(job, JobWorker.period(job))).as("holes of " + job).isEmpty());
		assertThat(report.runs()).noneMatch((run) -> run.outcome().equals("RUNNING"));
	}

}
