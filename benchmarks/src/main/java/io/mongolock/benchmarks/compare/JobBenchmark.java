package io.mongolock.benchmarks.compare;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.Schedules;
import com.mongodb.client.MongoClient;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.h2.jdbcx.JdbcConnectionPool;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.mongolock.benchmarks.MeasuredServer;
import io.mongolock.benchmarks.Table;
import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.ScheduledJob;

/**
 * Two instances with a job each second that does nothing: {@code @ScheduledJob},
 * ShedLock's {@code @SchedulerLock} on MongoDB, and db-scheduler on an H2 database in
 * this JVM. They take turns, in another order each round. The arguments are the number of
 * rounds, how many seconds of each count (after five that do not), and how often
 * db-scheduler looks, in milliseconds.
 */
public final class JobBenchmark {

	private static final String EACH_SECOND = "* * * * * *";

	private static final int WARM_UP = 5;

	private final Map<Kind, List<Measured>> rounds = new EnumMap<>(Kind.class);

	private JobBenchmark() {
	}

	public static void main(String[] args) throws InterruptedException {
		int rounds = argument(args, 0, 6);
		int seconds = argument(args, 1, 20);
		int polling = argument(args, 2, 100);
		System.out.println(Machine.describe());
		try (MeasuredServer server = MeasuredServer.start()) {
			JobBenchmark benchmark = new JobBenchmark();
			List<Kind> order = new ArrayList<>(List.of(Kind.values()));
			Random random = new Random(1);
			for (int round = 0; round < rounds; round++) {
				Collections.shuffle(order, random);
				for (Kind kind : order) {
					benchmark.measure(kind, server.uri(), "jobs" + round, seconds, polling);
				}
			}
			benchmark.report(rounds, seconds, polling);
		}
	}

	static int argument(String[] args, int index, int otherwise) {
		return (args.length > index) ? Integer.parseInt(args[index]) : otherwise;
	}

	private void measure(Kind kind, String uri, String database, int seconds, int polling) throws InterruptedException {
		Begins begins = new Begins();
		try (JobSubject subject = start(kind, uri, database, begins, polling)) {
			Instant from = awaitHalfASecondAfter(Instant.now().plusSeconds(WARM_UP));
			long before = subject.statements();
			Instant until = awaitHalfASecondAfter(from.plusSeconds(seconds - 1));
			long statements = subject.statements() - before;
			List<Double> late = begins.millisLate(from, until);
			this.rounds.computeIfAbsent(kind, (key) -> new ArrayList<>())
				.add(new Measured(late, seconds - late.size(), begins.twice(), statements / (double) late.size()));
		}
	}

	// No work begins or ends then, if all goes well
	private static Instant awaitHalfASecondAfter(Instant time) throws InterruptedException {
		Instant half = time.truncatedTo(ChronoUnit.SECONDS).plusMillis(1500);
		TimeUnit.NANOSECONDS.sleep(Duration.between(Instant.now(), half).toNanos());
		return half;
	}

	private static JobSubject start(Kind kind, String uri, String database, Begins begins, int polling) {
		return switch (kind) {
			case SCHEDULED_JOB -> JobSubject.ours(uri, database, begins, 2, Annotated.class);
			case SHED_LOCK -> JobSubject.start(uri, begins, 2, (application) -> application.sources(Shed.class));
			case DB_SCHEDULER -> new DbScheduler(begins, Duration.ofMillis(polling));
		};
	}

	private void report(int rounds, int seconds, int polling) {
		Table table = new Table(
				"From the tick of a job to the begin of its work, two instances, a job each second, " + rounds
						+ " rounds of " + seconds + " s",
				"job", "p50, ms", "p99, ms", "p50 as a ratio to `@ScheduledJob`", "statements a run",
				"ticks without a run", "ticks run twice");
		for (Kind kind : Kind.values()) {
			List<Measured> all = rounds(kind);
			List<Double> late = all.stream().flatMap((round) -> round.late().stream()).sorted().toList();
			table.add(kind.title.formatted(polling), Begins.percentile(late, 0.5), Begins.percentile(late, 0.99),
					ratio(kind), median(all.stream().map(Measured::statements)),
					all.stream().mapToLong(Measured::without).sum(), all.stream().mapToLong(Measured::twice).sum());
		}
		System.out.print(table.toMarkdown());
	}

	private List<Measured> rounds(Kind kind) {
		return this.rounds.getOrDefault(kind, List.of());
	}

	private double ratio(Kind kind) {
		List<Measured> ours = rounds(Kind.SCHEDULED_JOB);
		List<Measured> others = rounds(kind);
		return median(IntStream.range(0, ours.size())
			.mapToObj((round) -> Begins.percentile(others.get(round).late(), 0.5)
					/ Begins.percentile(ours.get(round).late(), 0.5)));
	}

	private static double median(Stream<Double> values) {
		return Begins.percentile(values.sorted().toList(), 0.5);
	}

	private enum Kind {

		SCHEDULED_JOB("`@ScheduledJob`"),

		/**
		 * Runs for half a second at least, or the other instance might run the tick, too.
		 */
		SHED_LOCK("`@SchedulerLock`, `lockAtLeastFor` 500 ms"),

		DB_SCHEDULER("db-scheduler, looks every %d ms");

		private final String title;

		Kind(String title) {
			this.title = title;
		}

	}

	/**
	 * A round.
	 *
	 * @param late by how many milliseconds work began, the shortest first
	 * @param without ticks that had none
	 * @param twice ticks that had more than one
	 * @param statements for each run
	 */
	private record Measured(List<Double> late, long without, long twice, double statements) {

	}

	static final class Annotated {

		private final Begins begins;

		Annotated(Begins begins) {
			this.begins = begins;
		}

		@ScheduledJob(name = "second", cron = EACH_SECOND, zone = "UTC")
		void run(JobRun run) {
			this.begins.begun(run.job(), run.tick());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@EnableSchedulerLock(defaultLockAtMostFor = "30s")
	static class Shed {

		@Bean
		LockProvider lockProvider(MongoClient client) {
			return new MongoLockProvider(client.getDatabase(CommandCount.DATABASE));
		}

		@Bean
		Job job(Begins begins) {
			return new Job(begins);
		}

		static class Job {

			private final Begins begins;

			Job(Begins begins) {
				this.begins = begins;
			}

			@Scheduled(cron = EACH_SECOND, zone = "UTC")
			@SchedulerLock(name = "second", lockAtLeastFor = "500ms")
			void run() {
				this.begins.begun("second", Instant.now().truncatedTo(ChronoUnit.SECONDS));
			}

		}

	}

	private static final class DbScheduler implements JobSubject {

		private final JdbcConnectionPool database = JdbcConnectionPool
			.create("jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1", "", "");

		private final List<Scheduler> schedulers;

		DbScheduler(Begins begins, Duration polling) {
			execute("SET QUERY_STATISTICS TRUE");
			execute("""
					CREATE TABLE scheduled_tasks (task_name VARCHAR(100), task_instance VARCHAR(100), task_data BLOB,
					execution_time TIMESTAMP(6) WITH TIME ZONE, picked BOOLEAN, picked_by VARCHAR(50),
					last_success TIMESTAMP(6) WITH TIME ZONE, last_failure TIMESTAMP(6) WITH TIME ZONE,
					consecutive_failures INT, last_heartbeat TIMESTAMP(6) WITH TIME ZONE, version BIGINT,
					priority SMALLINT, PRIMARY KEY (task_name, task_instance))""");
			execute("CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)");
			execute("CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)");
			this.schedulers = IntStream.range(0, 2).mapToObj((instance) -> {
				RecurringTask<Void> task = Tasks.recurring("second", Schedules.cron(EACH_SECOND))
					.execute((run, context) -> begins.begun("second", context.getExecution().executionTime));
				return Scheduler.create(this.database)
					.startTasks(task)
					.schedulerName(new SchedulerName.Fixed("instance " + instance))
					.pollingInterval(polling)
					.build();
			}).toList();
			this.schedulers.forEach(Scheduler::start);
		}

		private void execute(String sql) {
			try (Connection connection = this.database.getConnection();
					Statement statement = connection.createStatement()) {
				statement.execute(sql);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public long statements() {
			try (Connection connection = this.database.getConnection();
					Statement statement = connection.createStatement();
					ResultSet sum = statement.executeQuery("""
							SELECT SUM(execution_count) FROM information_schema.query_statistics
							WHERE sql_statement LIKE '%scheduled_tasks%'""")) {
				sum.next();
				return sum.getLong(1);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void close() {
			this.schedulers.forEach(Scheduler::stop);
			execute("SHUTDOWN");
			this.database.dispose();
		}

	}

}
