package io.mongolock.docs;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;

import io.mongolock.jobs.JobOutcome;
import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.Jobs;

/**
 * What which-one.md shows of work that one instance does before all of them start.
 */
class Migration implements ApplicationRunner {

	private static final Log logger = LogFactory.getLog(Migration.class);

	private final Jobs jobs;

	private final Duration waitTimeout;

	private final Step step;

	Migration(Jobs jobs, @Value("${migration.wait-timeout:10m}") Duration waitTimeout, Step step) {
		this.jobs = jobs;
		this.waitTimeout = waitTimeout;
		this.step = step;
	}

	@Override
	public void run(ApplicationArguments arguments) throws InterruptedException {
		long begin = System.nanoTime();
		while (!isDone() && this.jobs.run("migration-7", Instant.now(), this::migrate).isEmpty()) {
			String other = this.jobs.last("migration-7", 1)
				.stream()
				.map((run) -> run.runner() + ": " + run.note())
				.collect(Collectors.joining());
			if (System.nanoTime() - begin > this.waitTimeout.toNanos()) {
				throw new IllegalStateException("Not migrated after " + this.waitTimeout + " by " + other);
			}
			logger.info("Waiting for the migration by " + other);
			Thread.sleep(1000);
		}
	}

	private boolean isDone() {
		return this.jobs.last("migration-7", 100).stream().anyMatch((run) -> run.outcome() == JobOutcome.SUCCEEDED);
	}

	private void migrate(JobRun run) {
		if (isDone()) {
			return; // another instance was faster
		}
		for (int part = 1; part <= 3; part++) {
			this.jobs.note(run, "part " + part + " of 3");
			this.step.migrate(part);
		}
	}

	/** One part of it. */
	@FunctionalInterface
	interface Step {

		void migrate(int part);

	}

}
