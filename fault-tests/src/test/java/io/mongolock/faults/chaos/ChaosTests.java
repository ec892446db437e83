package io.mongolock.faults.chaos;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.opentest4j.TestAbortedException;

import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.MixedWorkers;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.register.RegisterReport;
import io.mongolock.faults.harness.worker.MixedWorker;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.TestOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 72: random faults befall the members of a real set and worker processes at once,
 * for as long as {@code -Dchaos=PT10M} says, in the order that
 * {@code -Dfault-matrix.seed=} decides.
 */
@Tag("process")
@Tag("chaos")
@Isolated
class ChaosTests {

	private static final int WORKERS = 4;

	static final Duration LENGTH = Duration.parse(System.getProperty("mongo-lock.chaos", "PT2M"));

	private static @Nullable RealMongo servers;

	// When it is known whether the test failed, and so the logs are to be kept
	@AfterAll
	static void close() {
		if (servers != null) {
			servers.close();
		}
	}

	@Test
	@ShowsRow(value = 72, level = Level.REPLICA_SET)
	void randomFaultsOfServersAndProcessesBreakNoPromise(RowFigures figures) {
		RealMongo set = RealMongo.builder(mongod()).replicaSet(3).separable().start();
		servers = set;
		TestOutput.say("Chaos of " + LENGTH + " on " + set + " with seed " + figures.seed());
		try (WorkerProcesses processes = WorkerProcesses.on(set.connectionString(), set.label())) {
			int faults = befall(set, processes, new FaultPlan(figures.seed()), figures.seed());
			HistoryReport report = processes.check();
			figures.server(set.label()).add("length", LENGTH).add("seed", figures.seed());
			figures.add("faults of servers", report.faults()).add("faults of workers", faults);
			figures.add("sections", report.sections()).add("losses notified", report.losses());
			figures.add("checks", report.checks() + ", of which false: " + report.falseChecks().size());
			figures.add("acknowledged writes", report.writes()).add("numbers", report.numbers());
			figures.add("take-overs of killed holders", report.takenOver().count());
			figures.add("longest lease kept by nobody", Harness.millis(report.unused().max()));
			figures.add("violations", report.violations().size());
			RegisterReport registers = processes.checkRegisters();
			figures.add("operations judged as those of registers", registers.operations());
			String table = "Seed " + figures.seed() + ", " + set + "\n" + report.toTable() + "\n" + registers;
			System.out.println(table);
			assertThat(report.violations()).as(() -> table).isEmpty();
			assertThat(registers.refusals()).as(() -> table).isEmpty();
			assertThat(registers.operations()).as("operations").isGreaterThan(report.sections());
			assertThat(report.sections()).as("work went on").isGreaterThan((int) LENGTH.toSeconds());
			assertThat(report.writes()).as("acknowledged writes").isPositive();
			assertThat(report.numbers()).as("numbers").isPositive();
		}
	}

	static MongodBinary mongod() {
		return MongodBinary.find()
			.orElseThrow(() -> new TestAbortedException(
					"needs a mongod: set " + MongodBinary.NAME + " to one, which config/mongod.sh brings"));
	}

	// Until all is over, and nothing is held any more, or should not be; how many befell
	// workers
	private static int befall(RealMongo set, WorkerProcesses processes, FaultPlan plan, long seed) {
		MixedWorkers workers = new MixedWorkers(processes, WORKERS, seed, (place) -> processes.connectionString());
		WorkerFaults ofWorkers = new WorkerFaults(workers);
		ServerFaults ofServers = new ServerFaults(set, processes::write);
		try (LeaseWatch watch = new LeaseWatch(processes.connectionString(), processes::write)) {
			long begun = System.nanoTime();
			CompletableFuture<Integer> servers = Daemon
				.supply(() -> repeat(begun, () -> ofServers.inflict(plan.nextOfServers())));
			int count = repeat(begun, () -> ofWorkers.inflict(plan.nextOfWorkers()));
			servers.join();
			workers.finish();
			Awaitility.await("release of all locks")
				.atMost(MixedWorker.LONG_TTL.multipliedBy(2))
				.ignoreExceptionsInstanceOf(LockStoreException.class)
				.until(() -> watch.leases().findAny().isEmpty());
			return count;
		}
	}

	static int repeat(long begun, Runnable fault) {
		int count = 0;
		while (System.nanoTime() - begun < LENGTH.toNanos()) {
			fault.run();
			count++;
		}
		return count;
	}

}
