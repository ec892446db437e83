package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.history.HistoryRecord.Began;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.jobs.CatchUp;
import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.ScheduledJob;

/**
 * An application with jobs, which writes down each attempt. Thread-safe.
 */
public final class JobWorker {

	/** Each second, and short. */
	public static final String CRON = "cron";

	/** Every two seconds, and each of its ticks is caught up. */
	public static final String CAUGHT_UP = "caught-up";

	/** Every three seconds, and as long as its work lasts. */
	public static final String LONG = "long";

	public static final List<String> JOBS = List.of(CRON, CAUGHT_UP, LONG);

	private final ConfigurableApplicationContext context;

	private JobWorker(ConfigurableApplicationContext context) {
		this.context = context;
	}

	public static JobWorker start(String connectionString, Duration ttl, Duration work, String histories) {
		HistoryWriter history = new HistoryWriter(Path.of(histories));
		history.writeStalls();
		return new JobWorker(new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.initializers((context) -> context.getBeanFactory().registerSingleton("history", history))
			.properties("spring.application.name=job-worker", "spring.mongodb.uri=" + connectionString,
					"spring.mongodb.database=" + Harness.DATABASE, "mongo-lock.ttl=" + ttl, "work=" + work,
					"mongo-lock.jobs.check-interval=1s", "mongo-lock.jobs.max-runs=100000")
			.run());
	}

	// What it takes for the time
	public long clock() {
		return System.currentTimeMillis();
	}

	// Ends what has begun, and begins nothing more
	public boolean finish() {
		this.context.close();
		return true;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Jobs jobs(HistoryWriter history, LockOperations locks, @Value("${work}") Duration work) {
			return new Jobs(history, new LockedSections(locks, history), work);
		}

	}

	static class Jobs {

		private static final Duration SHORT = Duration.ofMillis(200);

		private final HistoryWriter history;

		private final LockedSections sections;

		private final Duration work;

		Jobs(HistoryWriter history, LockedSections sections, Duration work) {
			this.history = history;
			this.sections = sections;
			this.work = work;
		}

		@ScheduledJob(name = CRON, cron = "* * * * * *", zone = "UTC")
		void cron(JobRun run) throws InterruptedException {
			work(run, SHORT);
		}

		@ScheduledJob(name = CAUGHT_UP, fixedRate = "2s", catchUp = CatchUp.ALL)
		void caughtUp(JobRun run) throws InterruptedException {
			work(run, SHORT);
		}

		@ScheduledJob(name = LONG, fixedRate = "3s")
		void lasting(JobRun run) throws InterruptedException {
			work(run, this.work);
		}

		private void work(JobRun run, Duration time) throws InterruptedException {
			OpenSection section = new OpenSection(this.history, 1);
			this.history.write(new Began(run.job(), run.tick().toEpochMilli(), run.attempt(), run.fence(),
					HistoryWriter.PROCESS, System.nanoTime()));
			LockHandle handle = LockContext.current();
			boolean done = section.enter(handle) && this.sections.work(handle, time.toMillis());
			section.workEnded();
			section.leave((done) ? Outcome.COMPLETED : Outcome.LOST);
			if (!done) {
				throw new IllegalStateException("The lock was lost");
			}
		}

	}

}
