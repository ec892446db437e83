package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.LifecycleProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.ReflectionTestUtils;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.faults.harness.Harness;
import io.mongolock.jobs.ScheduledJob;
import io.mongolock.leader.LeaderElection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A context that is stopped and started again, in each way that Spring has.
 */
class ContextRestartTests {

	private static final LockSettings PATIENT = LockSettings.builder().waitTimeout(Duration.ofMinutes(5)).build();

	@ParameterizedTest
	@EnumSource
	void whenAContextIsStoppedAndStartedAgainThenLocksJobsAndLeadersWork(Restart restart) {
		try (SpringApp app = new SpringApp(Harness.onAnyServer(), Application.class)) {
			Ticks ticks = app.bean(Ticks.class);
			LeaderElection election = app.bean(LeaderElection.class);
			LockOperations locks = app.bean(LockOperations.class);
			LockHandle held = locks.acquire(LockRequest.of("across"));
			CompletableFuture<LockHandle> waiting = locks
				.acquireAsync(LockRequest.builder("across").settings(PATIENT).build());
			LockHandle elsewhere = app.harness()
				.direct(Duration.ofMinutes(5))
				.locks()
				.acquire(LockRequest.of("elsewhere"));
			CompletableFuture<LockHandle> waitingForOther = locks
				.acquireAsync(LockRequest.builder("elsewhere").settings(PATIENT).build());
			for (int i = 0; i < 2; i++) {
				await().atMost(Harness.LONG).until(election::isLeader);
				ticks.awaitOneMore();
				restart.stop.accept(app.context());
				assertThat(election.isLeader()).isFalse();
				assertThat(app.isHeld("leader:reports")).isFalse();
				locks.acquire(LockRequest.of("stopped")).close();
				restart.start.accept(app.context());
			}
			await().atMost(Harness.LONG).until(election::isLeader);
			ticks.awaitOneMore();
			app.bean(Guarded.class).run("a", () -> assertThat(app.isHeld(Guarded.key("a"))).isTrue());
			assertThat(held.isHeld()).isTrue();
			assertThat(waiting).isNotDone();
			held.close();
			assertThat(waiting).succeedsWithin(Harness.LONG).satisfies(LockHandle::close);
			assertThat(waitingForOther).isNotDone();
			elsewhere.close();
			assertThat(waitingForOther).succeedsWithin(Harness.LONG).satisfies(LockHandle::close);
			await().atMost(Harness.LONG).until(() -> !app.isHeld("across") && !app.isHeld("elsewhere"));
		}
	}

	enum Restart {

		STOP(ConfigurableApplicationContext::stop, ConfigurableApplicationContext::start),

		PAUSE(ConfigurableApplicationContext::pause, ConfigurableApplicationContext::restart),

		/** What Spring does to its beans around a checkpoint of the JVM. */
		CHECKPOINT((context) -> lifecycle(context, "stopForRestart"),
				(context) -> lifecycle(context, "restartAfterStop"));

		private final Consumer<ConfigurableApplicationContext> stop;

		private final Consumer<ConfigurableApplicationContext> start;

		Restart(Consumer<ConfigurableApplicationContext> stop, Consumer<ConfigurableApplicationContext> start) {
			this.stop = stop;
			this.start = start;
		}

		// Called by the JVM alone, so it is not public
		private static void lifecycle(ConfigurableApplicationContext context, String method) {
			ReflectionTestUtils.invokeMethod(context.getBean(LifecycleProcessor.class), method);
		}

	}

	static class Ticks {

		private final AtomicInteger runs = new AtomicInteger();

		@ScheduledJob(name = "restarted", fixedDelay = "100ms")
		void run() {
			this.runs.incrementAndGet();
		}

		void awaitOneMore() {
			int before = this.runs.get();
			await().atMost(Harness.LONG).until(() -> this.runs.get() > before);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Ticks ticks() {
			return new Ticks();
		}

		@Bean
		Guarded guarded() {
			return new Guarded();
		}

		@Bean
		LeaderElection reports(LockOperations locks, ApplicationEventPublisher events) {
			return new LeaderElection("reports", locks, events);
		}

	}

}
