package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.mongolock.LockContext;
import io.mongolock.LockOperations;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.jobs.ScheduledJob;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Row 97: instances of an application are stopped and started while they work, as at a
 * deployment. Whatever runs the work, and waits for its end, nobody else begins before
 * that.
 */
@Tag("application")
@Tag("deployment")
@Timeout(600)
@StartsApplication
class DeploymentTests {

	private static final String NAME = "deployed";

	private static final int KEYS = 3;

	/**
	 * Far longer than what comes between a stop of claims and the end of an application.
	 */
	private static final Duration WORK = Duration.ofMillis(700);

	/** How many instances are stopped and replaced. */
	private static final int ROUNDS = Integer.getInteger("mongo-lock.deployments", 2);

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 97, level = Level.SPRING)
	void nobodyBeginsBeforeTheWorkOfAnInstanceThatEnds(Kind kind, RowFigures figures) {
		kind.assumeItRuns();
		Ledger ledger = new Ledger(WORK, KEYS);
		try (Harness harness = Harness.onAnyServer(); OtherClient other = new OtherClient(harness.observer())) {
			Instance[] both = { new Instance(harness, kind, ledger), new Instance(harness, kind, ledger) };
			long longest = 0;
			long left = 0;
			for (int i = 0; i < ROUNDS; i++) {
				Instance ends = both[i % 2];
				ledger.awaitBegunBy(ends);
				long asked = System.nanoTime();
				ends.close();
				longest = Math.max(longest, System.nanoTime() - asked);
				left += holders(other).filter(ends::holds).count();
				both[i % 2] = new Instance(harness, kind, ledger);
			}
			Stream.of(both).forEach(Instance::close);
			left += holders(other).count();
			figures.server(harness.label())
				.add("run by", kind)
				.add("stops", ROUNDS + both.length)
				.add("sections", ledger.begun.get())
				.add("overlaps", ledger.overlaps.get())
				.add("cut off", ledger.cutOff.get())
				.add("not ended", ledger.begun.get() - ledger.ended.get())
				.add("locks of an instance that has ended", left)
				.add("longest stop", Harness.millis(longest));
			assertThat(ledger.overlaps).hasValue(0);
			assertThat(ledger.cutOff).hasValue(0);
			assertThat(ledger.ended).hasValue(ledger.begun.get());
			assertThat(left).as("locks of an instance that has ended").isZero();
		}
	}

	@Test
	@ShowsRow(value = 97, level = Level.SPRING)
	void workThatSpringWaitsForKeepsItsLockBeyondItsTtlAndOurOwnBudget(RowFigures figures) {
		// With a ttl that a busy machine renews in time
		Ledger ledger = new Ledger(Duration.ofSeconds(8), 1);
		try (Harness harness = Harness.onAnyServer(); OtherClient other = new OtherClient(harness.observer())) {
			Instance ends = new Instance(harness, Kind.ASYNC, ledger, "mongo-lock.shutdown-timeout=1s",
					"mongo-lock.ttl=6s");
			ledger.awaitBegunBy(ends);
			Instance next = new Instance(harness, Kind.ASYNC, ledger);
			ends.close();
			ledger.awaitBegunBy(next);
			// The calls that waited for a thread, too
			assertThat(ledger.ended).hasPositiveValue();
			assertThat(ledger.overlaps).hasValue(0);
			assertThat(ledger.cutOff).hasValue(0);
			await().atMost(Harness.LONG).until(() -> holders(other).findAny().isPresent());
			next.close();
			figures.server(harness.label()).add("work", "8 s").add("ttl", "6 s").add("shutdown-timeout", "1 s");
		}
	}

	@Test
	@ShowsRow(value = 97, level = Level.SPRING)
	void workThatNobodyWaitsForIsToldBeforeAnybodyElseBegins(RowFigures figures) {
		Ledger ledger = new Ledger(Duration.ofSeconds(8), 1);
		try (Harness harness = Harness.onAnyServer(); OtherClient other = new OtherClient(harness.observer())) {
			Instance ends = new Instance(harness, Kind.THREADS, ledger, "mongo-lock.shutdown-timeout=2s",
					"mongo-lock.ttl=1m", "mongo-lock.margin=4s");
			ledger.awaitBegunBy(ends);
			long asked = System.nanoTime();
			ends.close();
			long closed = System.nanoTime();
			assertThat(holders(other)).as("left to its margin").isNotEmpty();
			await().atMost(Harness.LONG).until(() -> other.claim(NAME + ":0").isPresent());
			figures.server(harness.label())
				.add("ttl", "60 s")
				.add("margin", "4 s")
				.add("closed after", Harness.millis(closed - asked))
				.add("granted to another after", Harness.millis(System.nanoTime() - closed));
			assertThat(Duration.ofNanos(System.nanoTime() - closed)).isGreaterThan(Duration.ofSeconds(1));
			await().atMost(Harness.LONG).until(() -> ledger.ended.get() == 1);
			assertThat(ledger.cutOff).as("notified").hasValue(1);
		}
	}

	@Test
	@ShowsRow(value = 97, level = Level.SPRING)
	void aStartThatFailsWaitsForTheWorkThatHasBegun(RowFigures figures) {
		Ledger ledger = new Ledger(Duration.ofSeconds(3), 1);
		try (Harness harness = Harness.onAnyServer(); OtherClient other = new OtherClient(harness.observer())) {
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(
					() -> new Instance(harness, Kind.EXECUTOR, ledger, "fails=true", "mongo-lock.shutdown-timeout=1s"));
			assertThat(ledger.begun).hasValue(1);
			assertThat(ledger.ended).hasValue(1);
			assertThat(ledger.cutOff).hasValue(0);
			assertThat(holders(other)).isEmpty();
			figures.server(harness.label()).add("work", "3 s").add("shutdown-timeout", "1 s");
		}
	}

	private static Stream<StoredHolder> holders(OtherClient other) {
		return IntStream.range(0, KEYS)
			.mapToObj((key) -> NAME + ":" + key)
			.flatMap((key) -> Stream.of(key, "job:" + key))
			.flatMap((key) -> other.holder(key).stream());
	}

	private enum Kind {

		ASYNC(AsyncConfiguration.class, 17, "spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=60s"),

		SCHEDULED(ScheduledConfiguration.class, 17, "spring.task.scheduling.pool.size=" + KEYS,
				"spring.task.scheduling.shutdown.await-termination=true",
				"spring.task.scheduling.shutdown.await-termination-period=60s"),

		VIRTUAL_AWAITED(AsyncConfiguration.class, 21, "spring.threads.virtual.enabled=true",
				"spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=60s"),

		/** Nobody waits for the end of the work but the locks themselves. */
		VIRTUAL(AsyncConfiguration.class, 21, "spring.threads.virtual.enabled=true"),

		EXECUTOR(ExecutorConfiguration.class, 17),

		/** The executor is no bean, and a bean that hears of its end waits for it. */
		OWN_EXECUTOR(OwnExecutorConfiguration.class, 17),

		/** Jobs that run once per tick. */
		JOBS(JobsConfiguration.class, 17, "mongo-lock.jobs.check-interval=100ms"),

		VIRTUAL_JOBS(JobsConfiguration.class, 21, "mongo-lock.jobs.check-interval=100ms",
				"spring.threads.virtual.enabled=true"),

		/** Threads of nobody. */
		THREADS(ThreadsConfiguration.class, 17);

		private final Class<?> source;

		private final int java;

		private final String[] properties;

		Kind(Class<?> source, int java, String... properties) {
			this.source = source;
			this.java = java;
			this.properties = properties;
		}

		private void assumeItRuns() {
			if (Runtime.version().feature() < this.java) {
				throw new TestAbortedException(this + " needs Java " + this.java + " or later");
			}
		}

	}

	/** One instance of the application, which works all the time. */
	private static final class Instance implements AutoCloseable {

		private static final AtomicInteger COUNT = new AtomicInteger();

		private final String name = "instance-" + COUNT.incrementAndGet();

		private final ConfigurableApplicationContext context;

		private Instance(Harness harness, Kind kind, Ledger ledger, String... properties) {
			SpringApplicationBuilder builder = new SpringApplicationBuilder(SpringApp.Auto.class, kind.source);
			SpringApp.leaveLogging(builder);
			this.context = builder.web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.registerShutdownHook(false)
				.initializers((context) -> context.getBeanFactory()
					.registerSingleton("work", (IntConsumer) (key) -> ledger.work(this.name, key)))
				.initializers((context) -> context.getBeanFactory().registerSingleton("ledger", ledger))
				.properties("spring.application.name=" + this.name, "mongo-lock.ttl=" + SpringApp.TTL,
						"mongo-lock.margin=1s", "mongo-lock.wait-timeout=2m", "spring.mongodb.uri=" + harness.proxied(),
						"spring.mongodb.database=" + Harness.DATABASE)
				.properties(kind.properties)
				.properties(properties)
				.run();
			this.context.getBeanProvider(Feed.class)
				.ifAvailable((feed) -> IntStream.range(0, ledger.keys).forEach((key) -> feed(feed, key)));
		}

		// As much as it takes, so that one works and another waits
		private void feed(Feed feed, int key) {
			Semaphore free = new Semaphore(2);
			Daemon.start("feed", () -> {
				try {
					while (this.context.isActive()) {
						free.acquireUninterruptibly();
						feed.submit(key).whenComplete((none, failure) -> free.release());
					}
				}
				catch (RejectedExecutionException ex) {
					// The application ends
				}
			});
		}

		private boolean holds(StoredHolder holder) {
			return holder.owner().application().equals(this.name);
		}

		@Override
		public void close() {
			this.context.close();
		}

	}

	/** What happened, whichever instance did it. */
	private static final class Ledger {

		/** How long the first section takes; each later one takes {@link #WORK}. */
		private final Duration first;

		private final int keys;

		/** Which instance works under which key. */
		private final Map<Integer, String> inside = new ConcurrentHashMap<>();

		private final AtomicInteger begun = new AtomicInteger();

		private final AtomicInteger ended = new AtomicInteger();

		private final AtomicInteger overlaps = new AtomicInteger();

		private final AtomicInteger cutOff = new AtomicInteger();

		private Ledger(Duration first, int keys) {
			this.first = first;
			this.keys = keys;
		}

		private void work(String instance, int key) {
			Duration work = (this.begun.incrementAndGet() == 1) ? this.first : WORK;
			boolean alone = this.inside.putIfAbsent(key, instance) == null;
			if (!alone) {
				this.overlaps.incrementAndGet();
			}
			try {
				// Work that does not end early
				new Semaphore(0).tryAcquire(work.toMillis(), TimeUnit.MILLISECONDS);
				if (!LockContext.current().isHeld()) {
					this.cutOff.incrementAndGet();
				}
			}
			catch (InterruptedException ex) {
				this.cutOff.incrementAndGet();
			}
			finally {
				if (alone) {
					this.inside.remove(key);
				}
				this.ended.incrementAndGet();
			}
		}

		private void awaitBegunBy(Instance instance) {
			await().pollInterval(Duration.ofMillis(5))
				.atMost(Harness.LONG.multipliedBy(2))
				.until(() -> this.inside.containsValue(instance.name));
		}

	}

	/** Hands one job in. */
	private interface Feed {

		CompletableFuture<?> submit(int key);

	}

	public static class Jobs {

		private final IntConsumer work;

		Jobs(IntConsumer work) {
			this.work = work;
		}

		@DistributedLock(name = NAME, key = "#p0")
		public void run(int key) {
			this.work.accept(key);
		}

	}

	static class AsyncJobs implements Feed {

		private final IntConsumer work;

		AsyncJobs(IntConsumer work) {
			this.work = work;
		}

		@Async
		@DistributedLock(name = NAME, key = "#p0")
		@Override
		public CompletableFuture<?> submit(int key) {
			this.work.accept(key);
			return CompletableFuture.completedFuture(null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncConfiguration {

		@Bean
		AsyncJobs jobs(IntConsumer work) {
			return new AsyncJobs(work);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class ScheduledConfiguration {

		@Bean
		ScheduledJobs jobs(IntConsumer work) {
			return new ScheduledJobs(work);
		}

		public static class ScheduledJobs {

			private final IntConsumer work;

			ScheduledJobs(IntConsumer work) {
				this.work = work;
			}

			@Scheduled(fixedDelay = 1)
			@DistributedLock(NAME + ":0")
			public void first() {
				this.work.accept(0);
			}

			@Scheduled(fixedDelay = 1)
			@DistributedLock(NAME + ":1")
			public void second() {
				this.work.accept(1);
			}

			@Scheduled(fixedDelay = 1)
			@DistributedLock(NAME + ":2")
			public void third() {
				this.work.accept(2);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(FailingConfiguration.class)
	static class ExecutorConfiguration {

		/** It is created before all else, and so would be destroyed after it. */
		@Bean(destroyMethod = "close")
		AwaitedExecutor executor() {
			return new AwaitedExecutor();
		}

		@Bean
		Jobs jobs(IntConsumer work) {
			return new Jobs(work);
		}

		@Bean
		Feed feed(ObjectProvider<Jobs> jobs, ExecutorService executor) {
			return (key) -> CompletableFuture.runAsync(() -> jobs.getObject().run(key), executor);
		}

	}

	/** A bean that cannot be created when work has begun. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty("fails")
	static class FailingConfiguration {

		@Bean
		Object fails(ExecutorService executor, Jobs jobs, LockOperations locks, Ledger ledger) {
			executor.execute(() -> jobs.run(0));
			await().atMost(Harness.LONG).until(() -> ledger.begun.get() == 1);
			throw new IllegalStateException("cannot be created");
		}

	}

	/** As those of Java 19 and later. */
	public static class AwaitedExecutor extends ThreadPoolExecutor {

		AwaitedExecutor() {
			super(2 * KEYS, 2 * KEYS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
		}

		public void close() {
			shutdown();
			try {
				awaitTermination(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnExecutorConfiguration {

		@Bean
		Jobs jobs(IntConsumer work) {
			return new Jobs(work);
		}

		@Bean
		Own own(Jobs jobs) {
			return new Own(jobs);
		}

		static class Own implements Feed {

			private final AwaitedExecutor executor = new AwaitedExecutor();

			private final Jobs jobs;

			Own(Jobs jobs) {
				this.jobs = jobs;
			}

			@Override
			public CompletableFuture<?> submit(int key) {
				return CompletableFuture.runAsync(() -> this.jobs.run(key), this.executor);
			}

			@PreDestroy
			void end() {
				this.executor.close();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class JobsConfiguration {

		@Bean
		TickingJobs jobs(IntConsumer work) {
			return new TickingJobs(work);
		}

		static class TickingJobs {

			private final IntConsumer work;

			TickingJobs(IntConsumer work) {
				this.work = work;
			}

			@ScheduledJob(name = NAME + ":0", fixedDelay = "100ms")
			void first() {
				this.work.accept(0);
			}

			@ScheduledJob(name = NAME + ":1", fixedDelay = "100ms")
			void second() {
				this.work.accept(1);
			}

			@ScheduledJob(name = NAME + ":2", fixedDelay = "100ms")
			void third() {
				this.work.accept(2);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ThreadsConfiguration {

		@Bean
		Jobs jobs(IntConsumer work) {
			return new Jobs(work);
		}

		@Bean
		Feed feed(Jobs jobs) {
			return (key) -> CompletableFuture.runAsync(() -> jobs.run(key), (task) -> Daemon.start("job", task));
		}

	}

}
