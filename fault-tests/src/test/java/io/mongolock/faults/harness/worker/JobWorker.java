package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.DefaultLifecycleProcessor;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.history.HistoryRecord.Began;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.jobs.CatchUp;
import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.OnAbandoned;
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

	/** Every two seconds: succeeds, fails or takes too long; only where it is wanted. */
	public static final String FAULTY = "faulty";

	/** Those that are everywhere. */
	public static final List<String> JOBS = List.of(CRON, CAUGHT_UP, LONG);

	private static final Map<String, Duration> PERIODS = Map.of(CRON, Duration.ofSeconds(1), CAUGHT_UP,
			Duration.ofSeconds(2), LONG, Duration.ofSeconds(3), FAULTY, Duration.ofSeconds(2));

	private final ConfigurableApplicationContext context;

	private JobWorker(ConfigurableApplicationContext context) {
		this.context = context;
	}

	// From tick to tick
	public static Duration period(String job) {
		return Objects.requireNonNull(PERIODS.get(job));
	}

	public static JobWorker start(String connectionString, Duration ttl, Duration work, boolean faulty,
			String histories) {
		HistoryWriter history = new HistoryWriter(Path.of(histories));
		history.writeStalls();
		return new JobWorker(new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.initializers((context) -> context.getBeanFactory().registerSingleton("history", history))
			.properties("spring.application.name=job-worker", "spring.mongodb.uri=" + connectionString,
					"spring.mongodb.database=" + Harness.DATABASE, "mongo-lock.ttl=" + ttl, "work=" + work,
					"faulty=" + ((faulty) ? "*/2 * * * * *" : "-"), "mongo-lock.jobs.check-interval=1s",
					"mongo-lock.jobs.max-runs=100000")
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

	// As a deployment does that does not wait for long work
	public boolean cutOff() {
		this.context.getBean(DefaultLifecycleProcessor.class).setTimeoutPerShutdownPhase(1000);
		return finish();
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

		@ScheduledJob(name = FAULTY, cron = "${faulty}", zone = "UTC", onAbandoned = OnAbandoned.REPORT,
				maxDuration = "700ms")
		void faulty(JobRun run) throws InterruptedException {
			long kind = run.tick().getEpochSecond() / 2 % 3;
			work(run, (kind == 0) ? this.work : SHORT);
			if (kind == 1) {
				throw new IllegalStateException("As wanted");
			}
		}

		private void work(JobRun run, Duration time) throws InterruptedException {
			OpenSection section = new OpenSection(this.history, 1);
			this.history.write(new Began(run.job(), run.tick().toEpochMilli(), run.attempt(), run.fence(),
					HistoryWriter.PROCESS, System.nanoTime()));
			LockHandle handle = LockContext.current();
			Outcome outcome = Outcome.FAILED;
			try {
				boolean done = section.enter(handle) && this.sections.work(handle, time.toMillis());
				outcome = (done) ? Outcome.COMPLETED : Outcome.LOST;
			}
			finally {
				section.workEnded();
				section.leave(outcome);
			}
			if (outcome == Outcome.LOST) {
				throw new IllegalStateException("The lock was lost");
			}
		}

	}

}
