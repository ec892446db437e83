package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.mongolock.LockContext;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 97: instances of an application are stopped and started while they work, as at a
 * deployment. Whatever runs the work, and waits for its end, nobody else begins before
 * that.
 */
@Tag("application")
@Timeout(300)
@StartsApplication
class DeploymentTests {

	private static final String KEY = "deployed";

	/**
	 * Far longer than what comes between a stop of claims and the end of an application.
	 */
	private static final Duration WORK = Duration.ofMillis(700);

	private static final int ROUNDS = 4;

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 97, level = Level.SPRING)
	void nobodyBeginsBeforeTheWorkOfAnInstanceThatEnds(Kind kind, RowFigures figures) {
		kind.assumeItRuns();
		Ledger ledger = new Ledger(WORK);
		try (Harness harness = Harness.onAnyServer(); OtherClient other = new OtherClient(harness.observer())) {
			Instance[] both = { new Instance(harness, kind, ledger), new Instance(harness, kind, ledger) };
			long longest = 0;
			for (int i = 0; i < ROUNDS; i++) {
				Instance ends = both[i % 2];
				ledger.awaitBegunBy(ends);
				long asked = System.nanoTime();
				ends.close();
				longest = Math.max(longest, System.nanoTime() - asked);
				assertThat(other.holder(KEY).filter(ends::holds)).as("kept by an instance that has ended").isEmpty();
				both[i % 2] = new Instance(harness, kind, ledger);
			}
			Stream.of(both).forEach(Instance::close);
			assertThat(other.holder(KEY)).isEmpty();
			figures.server(harness.label())
				.add("run by", kind)
				.add("stops", ROUNDS + both.length)
				.add("sections", ledger.begun.get())
				.add("overlaps", ledger.overlaps.get())
				.add("cut off", ledger.cutOff.get())
				.add("longest stop", Harness.millis(longest));
			assertThat(ledger.overlaps).hasValue(0);
			assertThat(ledger.cutOff).hasValue(0);
			assertThat(ledger.ended).hasValue(ledger.begun.get());
		}
	}

	@Test
	@ShowsRow(value = 97, level = Level.SPRING)
	void workThatSpringWaitsForKeepsItsLockBeyondItsTtlAndOurOwnBudget(RowFigures figures) {
		Ledger ledger = new Ledger(Duration.ofSeconds(8));
		try (Harness harness = Harness.onAnyServer(); OtherClient other = new OtherClient(harness.observer())) {
			Instance ends = new Instance(harness, Kind.ASYNC, ledger, "mongo-lock.shutdown-timeout=1s");
			ledger.awaitBegunBy(ends);
			Instance next = new Instance(harness, Kind.ASYNC, ledger);
			ends.close();
			ledger.awaitBegunBy(next);
			assertThat(ledger.ended).hasValue(1);
			assertThat(ledger.overlaps).hasValue(0);
			assertThat(ledger.cutOff).hasValue(0);
			assertThat(other.holder(KEY)).isPresent();
			next.close();
			figures.server(harness.label()).add("work", "8 s").add("ttl", "5 s").add("shutdown-timeout", "1 s");
		}
	}

	@Test
	@ShowsRow(value = 97, level = Level.SPRING)
	void workThatNobodyWaitsForIsToldBeforeAnybodyElseBegins(RowFigures figures) {
		Ledger ledger = new Ledger(Duration.ofSeconds(4));
		try (Harness harness = Harness.onAnyServer(); OtherClient other = new OtherClient(harness.observer())) {
			Instance ends = new Instance(harness, Kind.THREADS, ledger, "mongo-lock.shutdown-timeout=1s",
					"mongo-lock.ttl=1m", "mongo-lock.margin=2s");
			ledger.awaitBegunBy(ends);
			long asked = System.nanoTime();
			ends.close();
			long closed = System.nanoTime();
			assertThat(other.holder(KEY)).as("left to its margin").isPresent();
			await().atMost(Harness.LONG).until(() -> other.claim(KEY).isPresent());
			figures.server(harness.label())
				.add("ttl", "60 s")
				.add("margin", "2 s")
				.add("closed after", Harness.millis(closed - asked))
				.add("granted to another after", Harness.millis(System.nanoTime() - closed));
			assertThat(Duration.ofNanos(System.nanoTime() - closed)).isGreaterThan(Duration.ofSeconds(1));
			await().atMost(Harness.LONG).until(() -> ledger.ended.get() == 1);
			assertThat(ledger.cutOff).as("notified").hasValue(1);
		}
	}

	private enum Kind {

		ASYNC(AsyncConfiguration.class, 17, "spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=60s"),

		SCHEDULED(ScheduledConfiguration.class, 17, "spring.task.scheduling.shutdown.await-termination=true",
				"spring.task.scheduling.shutdown.await-termination-period=60s"),

		VIRTUAL_AWAITED(AsyncConfiguration.class, 21, "spring.threads.virtual.enabled=true",
				"spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=60s"),

		/** Nobody waits for the end of the work but the locks themselves. */
		VIRTUAL(AsyncConfiguration.class, 21, "spring.threads.virtual.enabled=true"),

		EXECUTOR(ExecutorConfiguration.class, 17),

		/** The executor is no bean, and a bean that hears of its end waits for it. */
		OWN_EXECUTOR(OwnExecutorConfiguration.class, 17),

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
			this.context = new SpringApplicationBuilder(SpringApp.Auto.class, kind.source).web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.registerShutdownHook(false)
				.initializers((context) -> context.getBeanFactory()
					.registerSingleton("work", (Runnable) () -> ledger.work(this.name)))
				.properties("spring.application.name=" + this.name, "mongo-lock.ttl=" + SpringApp.TTL,
						"mongo-lock.margin=1s", "mongo-lock.wait-timeout=2m", "spring.mongodb.uri=" + harness.proxied(),
						"spring.mongodb.database=" + Harness.DATABASE)
				.properties(kind.properties)
				.properties(properties)
				.run();
			this.context.getBeanProvider(Feed.class).ifAvailable(this::feed);
		}

		// As much as it takes, so that one works and another waits
		private void feed(Feed feed) {
			Semaphore free = new Semaphore(2);
			Daemon.start("feed", () -> {
				try {
					while (this.context.isActive()) {
						free.acquireUninterruptibly();
						feed.submit().whenComplete((none, failure) -> free.release());
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

		private final Duration work;

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger begun = new AtomicInteger();

		private final AtomicInteger ended = new AtomicInteger();

		private final AtomicInteger overlaps = new AtomicInteger();

		private final AtomicInteger cutOff = new AtomicInteger();

		private volatile Optional<String> last = Optional.empty();

		private Ledger(Duration work) {
			this.work = work;
		}

		private void work(String instance) {
			this.begun.incrementAndGet();
			if (this.inside.incrementAndGet() > 1) {
				this.overlaps.incrementAndGet();
			}
			this.last = Optional.of(instance);
			try {
				// Work that does not end early
				new Semaphore(0).tryAcquire(this.work.toMillis(), TimeUnit.MILLISECONDS);
				if (!LockContext.current().isHeld()) {
					this.cutOff.incrementAndGet();
				}
			}
			catch (InterruptedException ex) {
				this.cutOff.incrementAndGet();
			}
			finally {
				this.last = Optional.empty();
				this.inside.decrementAndGet();
				this.ended.incrementAndGet();
			}
		}

		private void awaitBegunBy(Instance instance) {
			await().pollInterval(Duration.ofMillis(5))
				.atMost(Harness.LONG.multipliedBy(2))
				.until(() -> this.last.equals(Optional.of(instance.name)));
		}

	}

	/** Hands one job in. */
	private interface Feed {

		CompletableFuture<?> submit();

	}

	public static class Jobs {

		private final Runnable work;

		Jobs(Runnable work) {
			this.work = work;
		}

		@DistributedLock(KEY)
		public void run() {
			this.work.run();
		}

	}

	static class AsyncJobs implements Feed {

		private final Runnable work;

		AsyncJobs(Runnable work) {
			this.work = work;
		}

		@Async
		@DistributedLock(KEY)
		@Override
		public CompletableFuture<?> submit() {
			this.work.run();
			return CompletableFuture.completedFuture(null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncConfiguration {

		@Bean
		AsyncJobs jobs(Runnable work) {
			return new AsyncJobs(work);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class ScheduledConfiguration {

		@Bean
		ScheduledJobs jobs(Runnable work) {
			return new ScheduledJobs(work);
		}

		public static class ScheduledJobs {

			private final Runnable work;

			ScheduledJobs(Runnable work) {
				this.work = work;
			}

			@Scheduled(fixedDelay = 1)
			@DistributedLock(KEY)
			public void run() {
				this.work.run();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ExecutorConfiguration {

		/** It is created before all else, and so would be destroyed after it. */
		@Bean(destroyMethod = "close")
		AwaitedExecutor executor() {
			return new AwaitedExecutor();
		}

		@Bean
		Jobs jobs(Runnable work) {
			return new Jobs(work);
		}

		@Bean
		Feed feed(ObjectProvider<Jobs> jobs, ExecutorService executor) {
			return () -> CompletableFuture.runAsync(() -> jobs.getObject().run(), executor);
		}

	}

	/** As those of Java 19 and later. */
	public static class AwaitedExecutor extends ThreadPoolExecutor {

		AwaitedExecutor() {
			super(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
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
		Jobs jobs(Runnable work) {
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
			public CompletableFuture<?> submit() {
				return CompletableFuture.runAsync(this.jobs::run, this.executor);
			}

			@PreDestroy
			void end() {
				this.executor.close();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ThreadsConfiguration {

		@Bean
		Jobs jobs(Runnable work) {
			return new Jobs(work);
		}

		@Bean
		Feed feed(Jobs jobs) {
			return () -> CompletableFuture.runAsync(jobs::run, (task) -> Daemon.start("job", task));
		}

	}

}
