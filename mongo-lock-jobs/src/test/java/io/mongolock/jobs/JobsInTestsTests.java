package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.mockito.Mockito;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.mongolock.LockContext;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.LockStore;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Jobs in tests of applications, on a server that another instance may use.
 */
@Isolated
class JobsInTestsTests {

	private static final EmbeddedMongo SERVER = EmbeddedMongo.start();

	private static final Instant TICK = Instant.parse("2026-05-04T03:00:00Z");

	@DynamicPropertySource
	static void mongo(DynamicPropertyRegistry registry) {
		registry.add("spring.mongodb.uri", () -> SERVER.connectionString() + "/shop");
	}

	@Test
	void locksInAnotherStoreThanTheRecordsAreRefused() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(MongoLockAutoConfiguration.class, MongoLockJobsAutoConfiguration.class,
							MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
			.withBean(LockStore.class, () -> Mockito.mock(LockStore.class, Mockito.CALLS_REAL_METHODS))
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(LockStartupException.class)
				.hasMessageContaining("modules keep their records in another store")
				.hasMessageContaining("mongo-lock.mongo-template and mongo-lock.collection"));
	}

	@Nested
	@SpringBootTest(classes = Application.class)
	class Usually {

		@Test
		void noJobFires(@Autowired ObjectProvider<JobScheduler> scheduler, @Autowired Work work) {
			assertThat(scheduler.getIfAvailable()).isNull();
			assertThat(work.runs).isEmpty();
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "mongo-lock.jobs.enabled=true")
	class Asked {

		@Test
		void jobsFire(@Autowired ObjectProvider<JobScheduler> scheduler) {
			assertThat(scheduler.getIfAvailable()).isNotNull();
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, args = "--mongo-lock.jobs.enabled=true")
	class AskedByAnArgument {

		@Test
		void jobsFire(@Autowired ObjectProvider<JobScheduler> scheduler) {
			assertThat(scheduler.getIfAvailable()).isNotNull();
		}

	}

	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	@SpringBootTest(classes = Application.class)
	@ActiveProfiles("firing")
	class AskedByAFile {

		@Test
		void noJobFiresAndTheLogSaysHow(@Autowired ObjectProvider<JobScheduler> scheduler, CapturedOutput output) {
			assertThat(scheduler.getIfAvailable()).isNull();
			assertThat(output).contains("No job fires in " + AskedByAFile.class.getName())
				.contains("@SpringBootTest(properties = \"mongo-lock.jobs.enabled=true\")");
		}

	}

	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	@SpringBootTest(classes = Application.class, properties = "mongo-lock.enabled=false")
	class WithoutJobs {

		@Test
		void noSettingIsCalledUnread(@Autowired ObjectProvider<Jobs> jobs, CapturedOutput output) {
			assertThat(jobs.getIfAvailable()).isNull();
			assertThat(output).contains("mongo-lock.enabled=false").doesNotContain("Nothing reads");
		}

	}

	@Nested
	@SpringBootTest(classes = { Application.class, MovedClock.class })
	@AutoConfigureMongoLockTest
	class InMemory {

		@Autowired
		private Jobs jobs;

		@Autowired
		private Work work;

		@Autowired
		private AtomicReference<Instant> clock;

		@Autowired
		private List<String> commands;

		@AfterEach
		void nothingTouchesMongo() {
			assertThat(this.commands).isEmpty();
			this.work.runs.clear();
		}

		@RepeatedTest(2)
		void aTickIsRunByTheTest() {
			JobRun run = this.jobs.runTick("nightly", TICK.plusNanos(17));
			assertThat(run.tick()).isEqualTo(TICK);
			assertThat(run.outcome()).isEqualTo(JobOutcome.SUCCEEDED);
			assertThat(run.attempt()).isEqualTo(1);
			assertThat(this.work.runs).extracting(JobRun::tick).containsExactly(TICK);
			assertThat(this.jobs.runTick("nightly", TICK).attempt()).isEqualTo(2);
			assertThat(this.jobs.last("nightly", 10)).hasSize(1);
		}

		@RepeatedTest(2)
		void aDayOfTicksIsRunByAClockThatTheTestMoves() {
			this.clock.set(TICK.minusSeconds(3600));
			this.jobs.runDue();
			for (int hour = 0; hour < 24; hour++) {
				this.clock.updateAndGet((time) -> time.plus(Duration.ofHours(1)));
				this.jobs.runDue();
			}
			assertThat(this.work.runs).extracting(JobRun::tick).containsExactly(TICK);
			assertThat(this.jobs.last("hourly", 100)).hasSize(24)
				.extracting(JobRun::outcome)
				.containsOnly(JobOutcome.SUCCEEDED);
		}

		@Test
		void aJobThatIsMisspeltIsSaidWithThoseThatThereAre() {
			assertThatIllegalArgumentException().isThrownBy(() -> this.jobs.runTick("nightly-report", TICK))
				.withMessageContaining("'nightly-report'")
				.withMessageContaining("[hourly, nightly]");
		}

		@Test
		void aTickIsRunByCode() {
			assertThat(this.jobs.run("import", TICK, (run) -> this.jobs.note(run, LockContext.current().key())))
				.isPresent();
			assertThat(this.jobs.run("import", TICK, (run) -> {
			})).isEmpty();
		}

	}

	@Nested
	@SpringBootTest(classes = { Application.class, MovedClock.class }, properties = "spring.application.name=kept")
	@AutoConfigureMongoLockTest(reset = false)
	class InMemoryWithoutReset {

		@RepeatedTest(2)
		void runsOfTheMethodBeforeAreKept(RepetitionInfo repetition, @Autowired Jobs jobs) {
			assertThat(jobs.runTick("nightly", TICK).attempt()).isEqualTo(repetition.getCurrentRepetition());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Work.class)
	static class Application {

		@Bean
		AtomicReference<Instant> clock() {
			return new AtomicReference<>(TICK);
		}

		@Bean
		List<String> commands() {
			return new CopyOnWriteArrayList<>();
		}

		@Bean
		MongoClientSettingsBuilderCustomizer listener(List<String> commands) {
			return (settings) -> settings.addCommandListener(new CommandListener() {

				@Override
				public void commandStarted(CommandStartedEvent event) {
					commands.add(event.getCommandName());
				}

			});
		}

	}

	/** As a test of an application has it. */
	@Configuration(proxyBeanMethods = false)
	static class MovedClock {

		@Bean
		InMemoryLockStore lockStore(AtomicReference<Instant> clock) {
			return new InMemoryLockStore(clock::get);
		}

	}

	static class Work {

		final List<JobRun> runs = new CopyOnWriteArrayList<>();

		@ScheduledJob(name = "nightly", cron = "0 0 3 * * *", zone = "UTC")
		void nightly(JobRun run) {
			this.runs.add(run);
		}

		@ScheduledJob(name = "hourly", cron = "0 0 * * * *", zone = "UTC")
		void hourly() {
		}

	}

}
