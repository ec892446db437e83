package io.mongolock.docs;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.mongolock.jobs.JobOutcome;
import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.Jobs;
import io.mongolock.jobs.ScheduledJob;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test of a job that docs/testing.md shows.
 */
@SpringBootTest
@AutoConfigureMongoLockTest
class NightlyReportTests {

	@Autowired
	private Jobs jobs;

	@Autowired
	private AtomicReference<Instant> clock;

	@Test
	void theReportIsWritten() {
		JobRun run = this.jobs.runTick("nightly-report", Instant.parse("2026-05-04T01:00:00Z"));
		assertThat(run.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
	}

	@Test
	void aDayHasOneReport() {
		this.jobs.runDue(); // the schedules begin
		for (int hour = 0; hour < 24; hour++) {
			this.clock.updateAndGet((time) -> time.plus(Duration.ofHours(1)));
			this.jobs.runDue();
		}
		assertThat(this.jobs.last("nightly-report", 10)).extracting(JobRun::tick)
			.containsExactly(Instant.parse("2026-05-05T01:00:00Z"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Report.class)
	static class App {

		@Bean
		AtomicReference<Instant> clock() {
			return new AtomicReference<>(Instant.parse("2026-05-04T12:00:00Z"));
		}

		@Bean
		InMemoryLockStore lockStore(AtomicReference<Instant> clock) {
			return new InMemoryLockStore(clock::get);
		}

	}

	static class Report {

		@ScheduledJob(name = "nightly-report", cron = "0 0 3 * * *", zone = "Europe/Berlin")
		void write(JobRun run) {
			System.out.println("Report of " + run.tick());
		}

	}

}
