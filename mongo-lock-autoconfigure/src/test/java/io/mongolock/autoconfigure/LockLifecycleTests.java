package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockLifecycle}: in which order an application ends.
 */
class LockLifecycleTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final Ends ends = new Ends();

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withBean(Ends.class, () -> this.ends)
		.withPropertyValues("spring.mongodb.uri=" + this.server.connectionString() + "/app",
				"mongo-lock.shutdown-timeout=200ms")
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
				MongoLockAutoConfiguration.class));

	@Test
	void executorsAndLockedBeansEndFirstThenTheLocksThenTheClientOfTheDatabase() {
		this.runner.withUserConfiguration(Early.class).run((context) -> {
			this.ends.lock = context.getBean(LockOperations.class).acquire(LockRequest.of("k"));
			context.close();
			assertThat(this.ends.whileHeld).contains("executor", "worker", "locked").doesNotContain("mongo");
			assertThat(this.ends.after).contains("mongo");
			assertThat(this.ends.whileHeld.indexOf("worker")).isLessThan(this.ends.whileHeld.indexOf("locked"));
		});
	}

	@Test
	void aSmartLifecycleBeanEndsBeforeTheLocks() {
		this.runner.withUserConfiguration(Early.class, Jobs.class).run((context) -> {
			this.ends.lock = context.getBean(LockOperations.class).acquire(LockRequest.of("k"));
			context.close();
			assertThat(this.ends.whileHeld).contains("scheduler").doesNotContain("mongo");
		});
	}

	@Test
	void aBeanWithoutAProxyWhoseMethodsAreWovenEndsBeforeTheLocks() {
		this.runner.run((context) -> {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			// After the start, which would refuse it, as nothing is woven here
			beans.registerSingleton("woven", new Locked());
			((DefaultListableBeanFactory) beans).registerDisposableBean("woven",
					() -> this.ends.whileHeld.add("woven"));
			context.getBean(LockLifecycle.class).destroy();
			assertThat(this.ends.whileHeld).contains("woven");
		});
	}

	@Test
	void aStartThatFailsEndsExecutorsAndLockedBeansFirst() {
		this.runner.withUserConfiguration(Early.class, Fails.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(this.ends.whileHeld).contains("executor", "worker", "locked").doesNotContain("mongo");
			assertThat(this.ends.after).contains("mongo");
		});
	}

	@Test
	void aStartThatABeanFailsWhichCannotBeLookedAtEndsTheLocks() {
		this.runner.withUserConfiguration(Takes.class)
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("wrong", new Wrong()))
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(this.ends.lock.isHeld()).isFalse();
			});
	}

	@Test
	void aBlockedClientDoesNotHoldUpTheEndOfAnother() {
		CyclicBarrier claims = new CyclicBarrier(2);
		CyclicBarrier ends = new CyclicBarrier(2);
		AtomicInteger met = new AtomicInteger();
		LockLifecycle lifecycle = new LockLifecycle();
		for (int i = 0; i < 2; i++) {
			LockTemplate client = BDDMockito.mock(LockTemplate.class);
			BDDMockito.willAnswer((call) -> meet(claims, met)).given(client).stopClaims(ArgumentMatchers.any());
			BDDMockito.willAnswer((call) -> meet(ends, met)).given(client).stop(ArgumentMatchers.any());
			lifecycle.add(client, LockClock.system(), Duration.ofMinutes(2));
		}
		lifecycle.destroy();
		assertThat(met).hasValue(4);
	}

	@Test
	void aClientThatFailsToStopItsClaimsKeepsNoneFromItsEnd() {
		LockLifecycle lifecycle = new LockLifecycle();
		List<LockTemplate> clients = List.of(BDDMockito.mock(LockTemplate.class), BDDMockito.mock(LockTemplate.class));
		BDDMockito.willThrow(IllegalStateException.class).given(clients.get(0)).stopClaims(ArgumentMatchers.any());
		clients.forEach((client) -> lifecycle.add(client, LockClock.system(), Duration.ofMinutes(2)));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(lifecycle::destroy)
			.withCauseInstanceOf(IllegalStateException.class);
		clients.forEach((client) -> BDDMockito.then(client).should().stop(ArgumentMatchers.any()));
	}

	@Test
	void aClientThatCannotBeWaitedForKeepsNoneFromItsEnd() {
		LockLifecycle lifecycle = new LockLifecycle();
		List<LockTemplate> clients = List.of(BDDMockito.mock(LockTemplate.class), BDDMockito.mock(LockTemplate.class));
		BDDMockito.willThrow(IllegalStateException.class).given(clients.get(0)).awaitUnused(ArgumentMatchers.any());
		clients.forEach((client) -> lifecycle.add(client, LockClock.system(), Duration.ofMinutes(2)));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lifecycle::destroy);
		clients.forEach((client) -> BDDMockito.then(client).should().stop(ArgumentMatchers.any()));
	}

	private static Object meet(CyclicBarrier barrier, AtomicInteger met) throws Exception {
		barrier.await(30, TimeUnit.SECONDS);
		return met.incrementAndGet();
	}

	@Test
	void whenContextIsStoppedThenLocksAreGranted() {
		this.runner.run((context) -> {
			context.stop();
			context.getBean(LockOperations.class).acquire(LockRequest.of("k")).close();
		});
	}

	@Test
	void whenClientIsFirstUsedAfterTheEndThenItGrantsNothing() {
		LockLifecycle lifecycle = new LockLifecycle();
		lifecycle.destroy();
		LockTemplate late = BDDMockito.mock(LockTemplate.class);
		lifecycle.add(late, LockClock.system(), Duration.ofSeconds(5));
		BDDMockito.then(late).should().stopClaims(Duration.ZERO);
	}

	@Test
	void anExecutorThatTheDatabaseClientNeedsOutlivesIt() {
		this.runner.withUserConfiguration(Transport.class).run((context) -> {
			this.ends.lock = context.getBean(LockOperations.class).acquire(LockRequest.of("k"));
			context.close();
			assertThat(this.ends.after).containsSubsequence("mongo", "transport");
		});
	}

	@Test
	void theEndWaitsForWorkThatNobodyElseWaitsFor() {
		this.runner.withPropertyValues("mongo-lock.shutdown-timeout=5m").run((context) -> {
			LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("k"));
			Thread close = new Thread(context::close);
			close.start();
			Awaitility.await()
				.until(() -> !close.isAlive() || Thread.getAllStackTraces()
					.values()
					.stream()
					.flatMap(Stream::of)
					.anyMatch((frame) -> frame.getMethodName().equals("awaitUnused")));
			assertThat(held.isHeld()).isTrue();
			held.close();
			Awaitility.await().until(() -> !close.isAlive());
		});
	}

	@Test
	void whenItIsClosedUnderALockThenItDoesNotWaitForThat() {
		this.runner.withPropertyValues("mongo-lock.shutdown-timeout=1d").run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> locks.execute(LockRequest.of("k"), (handle) -> {
					context.close();
					return null;
				}))
				.withMessageContaining("shut");
		});
	}

	@Test
	void anApplicationThatHoldsNothingEndsAtOnce() {
		this.runner.withPropertyValues("mongo-lock.shutdown-timeout=1d").run((context) -> {
			context.getBean(LockOperations.class).execute(LockRequest.of("k"), (handle) -> null);
			LockTemplate template = context.getBean(LockTemplate.class);
			context.close();
			assertThat(template.isRunning()).isFalse();
		});
	}

	@ParameterizedTest
	@CsvSource({ "10, 8000, 8000, 2000", "3, 2000, 2000, 1000", "1, 500, 500, 500" })
	void theEndLeavesTimeForItsRequestsWhateverItWaitsFor(int budget, int claims, int work, int requests) {
		AtomicLong nanos = new AtomicLong();
		LockClock clock = BDDMockito.mock(LockClock.class);
		BDDMockito.given(clock.nanoTime()).willAnswer((call) -> nanos.get());
		LockTemplate client = BDDMockito.mock(LockTemplate.class);
		BDDMockito.willAnswer((call) -> nanos.addAndGet(call.<Duration>getArgument(0).toNanos()))
			.given(client)
			.awaitUnused(ArgumentMatchers.any());
		LockLifecycle lifecycle = new LockLifecycle();
		lifecycle.add(client, clock, Duration.ofSeconds(budget));
		lifecycle.destroy();
		BDDMockito.then(client).should().stopClaims(Duration.ofMillis(claims));
		BDDMockito.then(client).should().awaitUnused(Duration.ofMillis(work));
		BDDMockito.then(client).should().stop(Duration.ofMillis(requests));
	}

	/** What has ended, before and after the lock. */
	static class Ends implements DestructionAwareBeanPostProcessor {

		private final List<String> whileHeld = new ArrayList<>();

		private final List<String> after = new ArrayList<>();

		private volatile LockHandle lock;

		@Override
		public void postProcessBeforeDestruction(Object bean, String beanName) {
			((this.lock != null && this.lock.isHeld()) ? this.whileHeld : this.after).add(beanName);
		}

	}

	static class Locked {

		@DistributedLock("locked")
		void run() {
		}

	}

	/** Beans that are created before the client of the database. */
	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		ExecutorService executor() {
			return new ForkJoinPool(1);
		}

		@Bean
		Locked locked() {
			return new Locked();
		}

		@Bean
		AutoCloseable worker(Locked locked) {
			return () -> {
			};
		}

	}

	/** A bean that takes a lock, and cannot be created. */
	@Configuration(proxyBeanMethods = false)
	static class Fails {

		@Bean
		Object fails(Ends ends, LockOperations locks) {
			ends.lock = locks.acquire(LockRequest.of("k"));
			throw new IllegalStateException("cannot be created");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Takes {

		@Bean
		Object takes(Ends ends, LockOperations locks) {
			ends.lock = locks.acquire(LockRequest.of("k"));
			return "taken";
		}

	}

	static class Wrong {

		@DistributedLock("wrong")
		private void run() {
		}

	}

	/** As Quartz: it waits for its jobs when it is destroyed. */
	@Configuration(proxyBeanMethods = false)
	static class Jobs {

		@Bean
		SmartLifecycle scheduler() {
			return new SmartLifecycle() {

				private volatile boolean running;

				@Override
				public void start() {
					this.running = true;
				}

				@Override
				public void stop() {
					this.running = false;
				}

				@Override
				public boolean isRunning() {
					return this.running;
				}

			};
		}

	}

	/**
	 * An executor that the client of the database depends on, though not by injection.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Transport {

		@Bean
		Executor transport() {
			return Runnable::run;
		}

		@Bean
		MongoClientSettingsBuilderCustomizer customizer(Executor transport) {
			return (settings) -> assertThat(transport).isNotNull();
		}

	}

}
