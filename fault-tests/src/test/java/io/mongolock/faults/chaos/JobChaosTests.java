package io.mongolock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.MongoException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.JobWorkers;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.history.JobReport;
import io.mongolock.faults.harness.history.JobReport.Run;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.JobWorker;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.TestOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 100: random faults befall the members of a real set and applications that have
 * jobs, as row 72 has them, and deployments, outages of all applications and lost answers
 * to the statements of jobs.
 */
@Tag("process")
@Tag("chaos")
@Isolated
class JobChaosTests {

	private static final int WORKERS = 3;

	private static final String RUNS = Harness.DATABASE + ".lockJobRuns";

	private static final Duration TTL = Duration.ofSeconds(5);

	private static final Duration WORK = Duration.ofSeconds(4);

	/** How long there is no instance at all in an outage. */
	private static final Duration OUTAGE = Duration.ofSeconds(8);

	private static final List<String> JOBS = Stream.concat(JobWorker.JOBS.stream(), Stream.of(JobWorker.FAULTY))
		.toList();

	private static @Nullable RealMongo servers;

	// When it is known whether the test failed, and so the logs are to be kept
	@AfterAll
	static void close() {
		if (servers != null) {
			servers.close();
		}
	}

	@Test
	@ShowsRow(value = 100, level = Level.REPLICA_SET)
	void randomFaultsRunNoTickTwiceAndLoseNone(RowFigures figures) {
		RealMongo set = RealMongo.builder(ChaosTests.mongod()).replicaSet(3).separable().testCommands().start();
		servers = set;
		TestOutput.say("Chaos of jobs for " + ChaosTests.LENGTH + " on " + set + " with seed " + figures.seed());
		try (WorkerProcesses processes = WorkerProcesses.on(set.connectionString(), set.label())) {
			JobWorkers workers = new JobWorkers(processes, WORKERS, TTL, WORK, true, (place) -> Map.of());
			ServerFaults ofServers = new ServerFaults(set, processes::write);
			int faults = befall(ofServers, workers, new FaultPlan(figures.seed()));
			JobReport jobs = workers.finish();
			HistoryReport history = processes.check();
			figures.server(set.label()).add("length", ChaosTests.LENGTH).add("seed", figures.seed());
			figures.add("faults of servers", history.faults()).add("faults of workers", faults);
			figures.add("answers lost, at least", ofServers.lost());
			figures.add("ticks", outcomes(jobs));
			figures.add("attempts begun", jobs.began().size());
			figures.add("latest begin of a tick that is caught up",
					Harness.millis(TimeUnit.MILLISECONDS.toNanos(jobs.of(JobWorker.CAUGHT_UP)
						.stream()
						.mapToLong((run) -> run.startedAt() - run.tick())
						.max()
						.orElse(0))));
			List<List<Run>> holes = holes(jobs);
			figures.add("times that ticks have no record, or two", holes.size());
			String table = "Seed " + figures.seed() + ", " + set + "\n" + outcomes(jobs)
					+ "\naround ticks without a record, or with two: " + holes + "\n" + history.toTable();
			System.out.println(table);
			assertThat(jobs.violations()).as(table).isEmpty();
			assertThat(history.violations()).as(table).isEmpty();
			assertThat(jobs.runs()).as(table).noneMatch((run) -> run.outcome().equals("RUNNING"));
			assertThat(holes).as(table).isEmpty();
			assertThat(ofServers.lost()).as("answers lost").isPositive();
			assertThat(jobs.outcomes(JobWorker.FAULTY).keySet()).as(table).contains("succeeded", "failed", "timed_out");
			assertThat(jobs.of(JobWorker.CAUGHT_UP)).as("ticks that are caught up")
				.noneMatch((run) -> run.attempt() == 0)
				.hasSizeGreaterThan((int) ChaosTests.LENGTH.toSeconds() / 2 - 20);
		}
	}

	private static String outcomes(JobReport jobs) {
		return JOBS.stream().map((job) -> job + " " + jobs.outcomes(job)).collect(Collectors.joining(", "));
	}

	private static List<List<Run>> holes(JobReport jobs) {
		return JOBS.stream().flatMap((job) -> jobs.holes(job, JobWorker.period(job)).stream()).toList();
	}

	// Until all is over, and what was left meanwhile was taken up; how many befell
	// workers
	private static int befall(ServerFaults ofServers, JobWorkers workers, FaultPlan plan) {
		WorkerFaults ofWorkers = new WorkerFaults(workers);
		long begun = System.nanoTime();
		CompletableFuture<Integer> servers = CompletableFuture.supplyAsync(
				() -> ChaosTests.repeat(begun, () -> ofServers.inflict(plan.nextOfServers())), JobChaosTests::start);
		CompletableFuture<Integer> answers = CompletableFuture.supplyAsync(
				() -> ChaosTests.repeat(begun, () -> ofServers.lose(plan.nextLostAnswer(), RUNS)),
				JobChaosTests::start);
		AtomicInteger number = new AtomicInteger();
		int count = ChaosTests.repeat(begun, () -> {
			switch (number.incrementAndGet() % 6) {
				case 3 -> workers.deploy();
				case 0 -> workers.outage(OUTAGE);
				default -> ofWorkers.inflict(plan.nextOfWorkers());
			}
		});
		servers.join();
		answers.join();
		long over = System.currentTimeMillis();
		Awaitility.await("end of what was left")
			.atMost(Duration.ofMinutes(1))
			.ignoreExceptionsInstanceOf(MongoException.class)
			.until(() -> workers.report()
				.runs()
				.stream()
				.noneMatch((run) -> run.outcome().equals("RUNNING") && run.startedAt() < over));
		return count;
	}

	// The common pool of two processors has one thread from JDK 25 on
	private static void start(Runnable faults) {
		Daemon.start("faults", faults);
	}

}
