package io.mongolock.docs;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.docs.ReadmeSnippets.Accounts;
import io.mongolock.docs.ReadmeSnippets.Payments;
import io.mongolock.docs.ReadmeSnippets.Receipt;
import io.mongolock.docs.ReadmeSnippets.Reports;
import io.mongolock.store.ManualClock;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scheduled job of the README in two applications, which begin it at the same time.
 */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class ScheduledJobTests {

	private final ManualClock clock = new ManualClock();

	private final EmbeddedMongo mongo = EmbeddedMongo.builder().clock(this.clock).start();

	private final Job job = new Job();

	private final ConfigurableApplicationContext one = start();

	private final ConfigurableApplicationContext other = start();

	@AfterEach
	void stop() {
		this.one.close();
		this.other.close();
		this.mongo.close();
	}

	@Test
	void aLongJobRunsOnceAndTheOtherApplicationDoesNotWaitForIt() throws InterruptedException {
		CompletableFuture<Void> running = CompletableFuture.runAsync(() -> settle(this.one));
		assertThat(this.job.begun.await(60, TimeUnit.SECONDS)).isTrue();
		settle(this.other);
		assertThat(running).as("the job, when the other application has skipped it").isNotDone();
		this.job.end.countDown();
		running.join();
		settle(this.other);
		assertThat(this.job.runs).hasValue(1);
	}

	@Test
	void aJobThatIsDoneAtOnceRunsOnceForEachFiring() {
		this.job.end.countDown();
		for (ConfigurableApplicationContext application : List.of(this.one, this.other, this.one)) {
			settle(application);
		}
		assertThat(this.job.runs).hasValue(1);
		this.one.close();
		settle(this.other);
		assertThat(this.job.runs).as("with the first application stopped").hasValue(1);
		this.clock.advance(Duration.ofMinutes(1));
		settle(this.other);
		assertThat(this.job.runs).as("at the next firing").hasValue(2);
	}

	@Test
	void aFiringAfterTheMinimumHoldTakesTheLockOverFromNobody(CapturedOutput output) {
		this.job.end.countDown();
		settle(this.one);
		this.clock.advance(Duration.ofMinutes(1));
		settle(this.other);
		assertThat(this.job.runs).hasValue(2);
		Awaitility.await().untilAsserted(() -> assertThat(this.job.events).hasSize(4).last().isEqualTo("released"));
		assertThat(this.job.events).containsOnly("acquired", "released");
		assertThat(output).doesNotContain("taken over");
	}

	private static void settle(ConfigurableApplicationContext application) {
		application.getBean(ReadmeSnippets.class).settle();
	}

	private ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.initializers((context) -> context.getBeanFactory().registerSingleton("job", this.job))
			.initializers(
					(context) -> context.getBeanFactory().registerSingleton("recorder", new Recorder(this.job.events)))
			.properties("mongo-lock.wait-timeout=1h", "spring.mongodb.database=jobs")
			.run("--spring.mongodb.uri=" + this.mongo.connectionString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ReadmeSnippets.class)
	static class Application {

		@Bean
		Accounts accounts() {
			return (month) -> List.of();
		}

		@Bean
		Reports reports() {
			return (month, account, fence) -> {
			};
		}

	}

	private record Recorder(List<String> events) implements LockListener {

		@Override
		public void onAcquired(LockHandle handle) {
			this.events.add("acquired");
		}

		@Override
		public void onReleased(LockHandle handle) {
			this.events.add("released");
		}

		@Override
		public void onTakenOver(LockHandle handle, LockHolder previous) {
			this.events.add("taken over from " + previous);
		}

	}

	static final class Job implements Payments {

		private final List<String> events = new CopyOnWriteArrayList<>();

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		private final AtomicInteger runs = new AtomicInteger();

		@Override
		public Receipt charge(ReadmeSnippets.Order order) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Receipt charge(String id) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void move(String from, String to, BigDecimal amount) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void settleAll() {
			this.runs.incrementAndGet();
			this.begun.countDown();
			try {
				this.end.await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
