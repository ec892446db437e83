package io.mongolock.integration;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import io.mongolock.LockOperations;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.store.StoredHolder;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockRegistryAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockRegistryAutoConfigurationTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withBean(InMemoryLockStore.class, () -> this.store)
		.withConfiguration(
				AutoConfigurations.of(LockRegistryAutoConfiguration.class, MongoLockAutoConfiguration.class));

	@Test
	void theRegistryIsThereByAllItsTypes() {
		this.application.withUserConfiguration(Injected.class)
			.run((context) -> assertThat(context).hasSingleBean(Registries.class)
				.getBean(Registries.class)
				.extracting(Registries::distributed, Registries::renewable, Registries::expirable)
				.containsOnly(context.getBean(MongoLockRegistry.class)));
	}

	@Test
	void theSettingsOfItsNameApply() {
		this.application.withPropertyValues("mongo-lock.locks.integration.ttl=13m").run((context) -> {
			context.getBean(MongoLockRegistry.class).obtain("k").lock();
			assertThat(this.store.find("integration:k", Duration.ofSeconds(1)).orElseThrow().holders())
				.extracting(StoredHolder::ttl)
				.containsExactly(Duration.ofMinutes(13));
			context.getBean(MongoLockRegistry.class).obtain("k").unlock();
		});
	}

	@Test
	void whenApplicationHasAnotherRegistryThenItIsLeftAloneAndWarnedOf(CapturedOutput output) {
		this.application.withBean("jdbc", DefaultLockRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(MongoLockRegistry.class));
		assertThat(output).containsOnlyOnce("Spring Integration uses the LockRegistry [jdbc] of the application");
	}

	@Test
	void whenApplicationHasOneOfOursThenNothingIsSaid(CapturedOutput output) {
		this.application.run((context) -> assertThat(context).hasSingleBean(MongoLockRegistry.class));
		this.application.withBean("jdbc", DefaultLockRegistry.class)
			.withBean("order", MongoLockRegistry.class,
					() -> new MongoLockRegistry(Mockito.mock(LockOperations.class), "order"))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("uses the LockRegistry");
	}

	@Test
	void whenSpringAwaitsExecutorThenItsWorkGetsLocksAfterAllPhases() {
		this.application.withUserConfiguration(Awaited.class).run((context) -> {
			MongoLockRegistry registry = context.getBean(MongoLockRegistry.class);
			CountDownLatch begun = new CountDownLatch(1);
			Stopped stopped = context.getBean(Stopped.class);
			Future<String> first = context.getBean(ExecutorService.class)
				.submit(() -> registry.executeLocked("first", () -> {
					begun.countDown();
					stopped.latch().await();
					return registry.executeLocked("second", () -> "done");
				}));
			Future<String> queued = context.getBean(ExecutorService.class)
				.submit(() -> registry.executeLocked("queued", () -> "done"));
			begun.await();
			context.close();
			assertThat(first).succeedsWithin(Duration.ZERO).isEqualTo("done");
			assertThat(queued).succeedsWithin(Duration.ZERO).isEqualTo("done");
		});
		for (String key : List.of("first", "second", "queued")) {
			assertThat(this.store.find("integration:" + key, Duration.ofSeconds(1)).orElseThrow().holders()).isEmpty();
		}
	}

	@Test
	void thereIsNoneWithoutSpringIntegration() {
		this.application.withClassLoader(new FilteredClassLoader(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("mongoLockRegistry"));
	}

	@Test
	void thereIsNoneWithoutLockOperations() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockRegistryAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
	}

	@Test
	void withoutLocksTheRegistryLocksNothing() {
		this.application.withPropertyValues("mongo-lock.enabled=false").run((context) -> {
			context.getBean(MongoLockRegistry.class).obtain("k").lock();
			assertThat(this.store.find("integration:k", Duration.ofSeconds(1))).isEmpty();
			context.getBean(MongoLockRegistry.class).obtain("k").unlock();
		});
	}

	record Registries(LockRegistry<DistributedLock> distributed, RenewableLockRegistry<DistributedLock> renewable,
			ExpirableLockRegistry<DistributedLock> expirable) {

	}

	@Configuration(proxyBeanMethods = false)
	static class Injected {

		@Bean
		Registries registries(LockRegistry<DistributedLock> distributed,
				RenewableLockRegistry<DistributedLock> renewable, ExpirableLockRegistry<DistributedLock> expirable) {
			return new Registries(distributed, renewable, expirable);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Awaited {

		@Bean(destroyMethod = "awaitAll")
		ExecutorService executor() {
			return new Plain();
		}

		@Bean
		Stopped stopped(ExecutorService executor) {
			return new Stopped(new CountDownLatch(1));
		}

	}

	/** Is destroyed after all phases, and before the executor. */
	record Stopped(CountDownLatch latch) implements DisposableBean {

		@Override
		public void destroy() {
			this.latch.countDown();
		}

	}

	/** As an ExecutorService of JDK 19 and later ends. */
	static final class Plain extends ThreadPoolExecutor {

		Plain() {
			super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		}

		void awaitAll() throws InterruptedException {
			shutdown();
			assertThat(awaitTermination(1, TimeUnit.MINUTES)).isTrue();
		}

	}

}
