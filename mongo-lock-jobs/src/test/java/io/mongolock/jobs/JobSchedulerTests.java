package io.mongolock.jobs;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Configuration;

import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Tests for {@link JobScheduler}.
 */
class JobSchedulerTests {

	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
		.web(WebApplicationType.NONE)
		.properties("spring.mongodb.uri=" + this.server.connectionString(), "spring.mongodb.database=shop",
				"spring.main.banner-mode=off")
		.run();

	private final AtomicInteger runs = new AtomicInteger();

	@AfterEach
	void end() {
		this.application.close();
		this.server.close();
	}

	@Test
	void noErrorEndsTheLooksAtAJob() {
		AtomicInteger heard = new AtomicInteger();
		this.application.addApplicationListener((event) -> {
			boolean ended = event instanceof PayloadApplicationEvent<?> payload
					&& payload.getPayload() instanceof JobRunEvent.Ended;
			if (ended && heard.incrementAndGet() == 1) {
				throw new NoClassDefFoundError("Paper");
			}
		});
		awaitRuns((look) -> new Thread(look).start());
	}

	@Test
	void aJobThatGotNoThreadIsLookedAtAgain() {
		AtomicInteger asked = new AtomicInteger();
		awaitRuns((look) -> {
			if (asked.incrementAndGet() % 2 == 1) {
				throw new OutOfMemoryError("no thread");
			}
			new Thread(look).start();
		});
	}

	private void awaitRuns(Executor threads) {
		JobScheduler scheduler = new JobScheduler(this.application.getBean(JobRunner.class),
				this.application.getBean(JobRuns.class), threads, Duration.ofMillis(100), true, false,
				this.application.getBeanProvider(JobScheduler.Watch.class));
		scheduler.add(new Terms("hurried", new JobTrigger.Rate(Duration.ofMillis(100)), CatchUp.NONE,
				Duration.ofMinutes(5), OnAbandoned.RERUN, 3, 0, Duration.ofMinutes(1)),
				(run) -> this.runs.incrementAndGet());
		scheduler.start();
		Awaitility.await().until(() -> this.runs.get() >= 3);
		scheduler.destroy();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
