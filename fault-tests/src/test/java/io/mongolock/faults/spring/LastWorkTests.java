package io.mongolock.faults.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.ReadsOutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * While Spring waits for work, that work may take locks: it begins, or needs a second
 * one, when all phases of the application have stopped.
 */
@Timeout(180)
@ReadsOutput
class LastWorkTests {

	private static final int CALLS = 8;

	private static final String[] AWAITS = { "spring.task.execution.mode=force",
			"spring.task.execution.pool.core-size=2", "spring.task.scheduling.pool.size=3",
			"spring.task.execution.shutdown.await-termination=true",
			"spring.task.execution.shutdown.await-termination-period=60s",
			"spring.task.scheduling.shutdown.await-termination=true",
			"spring.task.scheduling.shutdown.await-termination-period=60s" };

	@AutoClose
	private final Harness harness = Harness.embedded();

	@AutoClose
	private final OtherClient other = new OtherClient(this.harness.observer());

	private final CountDownLatch stopped = new CountDownLatch(1);

	private final AtomicInteger entered = new AtomicInteger();

	private final Set<String> done = ConcurrentHashMap.newKeySet();

	private final List<Throwable> failures = new ArrayList<>();

	@ParameterizedTest
	@ValueSource(strings = { "applicationTaskExecutor", "taskScheduler", "simple", "pool", "plain" })
	void whenSpringAwaitsExecutorThenItsWorkGetsLocks(String executor, CapturedOutput output) {
		ConfigurableApplicationContext context = start(AWAITS);
		assertAllIsDone(context, executor, output);
	}

	@ParameterizedTest
	@ValueSource(strings = { "applicationTaskExecutor", "taskScheduler" })
	@EnabledForJreRange(min = JRE.JAVA_21)
	void whenSpringAwaitsVirtualThreadsThenTheirWorkGetsLocks(String executor, CapturedOutput output) {
		ConfigurableApplicationContext context = start(
				Stream.concat(Stream.of(AWAITS), Stream.of("spring.threads.virtual.enabled=true"))
					.toArray(String[]::new));
		assertAllIsDone(context, executor, output);
	}

	@ParameterizedTest
	@ValueSource(strings = { "applicationTaskExecutor", "taskScheduler", "bareSimple", "barePlain" })
	void whenSpringDoesNotAwaitExecutorThenNoLockIsLeft(String name) {
		ConfigurableApplicationContext context = start("spring.task.execution.mode=force",
				"spring.task.execution.pool.core-size=2", "spring.task.scheduling.pool.size=2", "mongo-lock.ttl=5s",
				"mongo-lock.operation-timeout=1s");
		submit(context, name);
		context.addApplicationListener((ApplicationListener<ContextClosedEvent>) (closed) -> this.stopped.countDown());
		context.close();
		// A claim that was interrupted may be executed late, and lasts for a ttl
		await().atMost(Harness.LONG).until(() -> IntStream.range(0, CALLS).noneMatch((i) -> isTaken(name + i)));
	}

	@Test
	void whenBeanIsDestroyedThenItMayCallALockedBean() {
		ConfigurableApplicationContext context = start();
		context.close();
		assertThat(this.failures).isEmpty();
		assertThat(this.done).containsExactly("destroyed");
	}

	@RepeatedTest(4)
	void whenContextIsClosedThenScheduledSkipLogsNoError(CapturedOutput output) {
		ConfigurableApplicationContext context = SpringApp.start(this.harness.proxied(), Ticks.class);
		await().atMost(Harness.LONG).until(() -> context.getBean(Ticks.class).count() > 20);
		context.close();
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
	}

	@Test
	void whenWorkUsesShedLockThenItGetsLocks() {
		ConfigurableApplicationContext context = start(AWAITS);
		LockProvider shedLock = context.getBean(LockProvider.class);
		Executor executor = context.getBean("applicationTaskExecutor", Executor.class);
		executor.execute(() -> record("shedlock", () -> {
			awaitStopped();
			shedLock.lock(new LockConfiguration(Instant.now(), "job", Duration.ofMinutes(1), Duration.ZERO))
				.orElseThrow()
				.unlock();
		}));
		await().atMost(Harness.LONG).until(() -> this.entered.get() == 1);
		context.close();
		assertThat(this.failures).isEmpty();
		assertThat(this.done).contains("shedlock");
	}

	private void assertAllIsDone(ConfigurableApplicationContext context, String name, CapturedOutput output) {
		submit(context, name);
		context.close();
		assertThat(this.failures).isEmpty();
		assertThat(this.done).hasSize(CALLS + 1);
		assertNothingIsLeft(name);
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
	}

	private void submit(ConfigurableApplicationContext context, String name) {
		Executor executor = context.getBean(name, Executor.class);
		Guarded guarded = context.getBean(Guarded.class);
		LockOperations locks = context.getBean(LockOperations.class);
		for (int i = 0; i < CALLS; i++) {
			String id = name + i;
			// Two run, each under a lock, and need another; the others wait for a thread
			Runnable second = () -> locks.execute(LockRequest.of("second:" + id), (handle) -> "done");
			executor.execute(() -> record(id, () -> guarded.run(id, () -> {
				awaitStopped();
				second.run();
			})));
		}
		await().atMost(Harness.LONG).until(() -> this.entered.get() >= 1);
	}

	private void assertNothingIsLeft(String name) {
		for (int i = 0; i < CALLS; i++) {
			assertThat(this.other.holder(Guarded.key(name + i))).isEmpty();
			assertThat(this.other.holder("second:" + name + i)).isEmpty();
		}
	}

	private boolean isTaken(String id) {
		return this.other.isTaken(Guarded.key(id)) || this.other.isTaken("second:" + id);
	}

	private void record(String what, Runnable work) {
		try {
			work.run();
			this.done.add(what);
		}
		catch (RuntimeException | Error ex) {
			synchronized (this.failures) {
				this.failures.add(ex);
			}
		}
	}

	private void awaitStopped() {
		this.entered.incrementAndGet();
		try {
			assertThat(this.stopped.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private ConfigurableApplicationContext start(String... properties) {
		return SpringApp.start(this.harness.proxied(), (context) -> {
			context.registerBean("lastPhase", LastPhase.class, () -> new LastPhase(this.stopped));
			context.registerBean("destroyed", DisposableBean.class, () -> {
				Guarded guarded = context.getBean(Guarded.class);
				return () -> record("destroyed", () -> guarded.run("destroyed", () -> {
				}));
			});
		}, Executors.class, properties);
	}

	/** Stops last, so that what it lets go on runs while beans are destroyed. */
	private record LastPhase(CountDownLatch stopped) implements SmartLifecycle {

		@Override
		public void start() {
		}

		@Override
		public void stop() {
			this.stopped.countDown();
		}

		@Override
		public boolean isRunning() {
			return this.stopped.getCount() != 0;
		}

		@Override
		public int getPhase() {
			return Integer.MIN_VALUE;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Executors {

		@Bean
		Guarded guarded() {
			return new Guarded();
		}

		@Bean
		SimpleAsyncTaskExecutor simple() {
			SimpleAsyncTaskExecutor simple = new SimpleAsyncTaskExecutor("simple-");
			simple.setTaskTerminationTimeout(60_000);
			return simple;
		}

		@Bean
		ThreadPoolTaskExecutor pool() {
			ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
			pool.setCorePoolSize(2);
			pool.setWaitForTasksToCompleteOnShutdown(true);
			pool.setAwaitTerminationSeconds(60);
			return pool;
		}

		@Bean
		SimpleAsyncTaskExecutor bareSimple() {
			return new SimpleAsyncTaskExecutor("bare-");
		}

		@Bean
		ExecutorService barePlain() {
			return java.util.concurrent.Executors.newFixedThreadPool(2);
		}

		@Bean(destroyMethod = "awaitAll")
		ExecutorService plain() {
			return new Plain();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Ticks {

		private final AtomicInteger count = new AtomicInteger();

		@Scheduled(fixedDelay = 1)
		@DistributedLock(name = "tick", onUnavailable = OnUnavailable.SKIP)
		void tick() {
			this.count.incrementAndGet();
		}

		int count() {
			return this.count.get();
		}

	}

	/** As an ExecutorService of JDK 19 and later ends. */
	static final class Plain extends ThreadPoolExecutor {

		Plain() {
			super(2, 2, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		}

		void awaitAll() throws InterruptedException {
			shutdown();
			assertThat(awaitTermination(60, TimeUnit.SECONDS)).isTrue();
		}

	}

}
