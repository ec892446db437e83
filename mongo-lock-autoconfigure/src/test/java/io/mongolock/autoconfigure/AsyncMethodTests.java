package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code @Async} on a method with a lock, in both orders.
 */
class AsyncMethodTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockStore.class, () -> new ScriptedStore() {
			@Override
			public ReleaseAnswer release(LeaseId lease, Duration timeout) {
				AsyncMethodTests.this.events.add("release " + lease.key());
				return super.release(lease, timeout);
			}
		})
		.withBean("events", List.class, () -> this.events)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@Test
	void outsideOfTheLockTheWorkerHoldsIt() {
		this.runner.withUserConfiguration(AsyncOutside.class).withBean(Service.class, this::service).run((context) -> {
			context.getBean(Service.class).run(new CountDownLatch(0));
			await("worker: order", "release order");
			this.events.clear();
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = context.getBean(Service.class).later(work);
			await("worker: order");
			assertThat(result).isNotDone();
			work.complete("done");
			assertThat(result).succeedsWithin(LONG).isEqualTo("done");
			await("worker: order", "release order");
		});
	}

	@Test
	void outsideOfTheLockTheWorkerWaitsForItAndTheCallerDoesNot() {
		this.runner.withUserConfiguration(AsyncOutside.class).withBean(Service.class, this::service).run((context) -> {
			LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("order"));
			CompletableFuture<String> skipped = context.getBean(Service.class).skipped();
			assertThat(skipped).succeedsWithin(LONG).isNull();
			CompletableFuture<String> result = context.getBean(Service.class)
				.later(CompletableFuture.completedFuture("done"));
			LockTemplate locks = context.getBean(LockTemplate.class);
			Awaitility.await().until(() -> locks.waiting("order") == 1);
			assertThat(this.events).isEmpty();
			held.close();
			assertThat(result).succeedsWithin(LONG).isEqualTo("done");
		});
	}

	@Test
	void aLossThatInterruptsTheWorkerCancelsTheWorkThatItWaitsFor() {
		this.runner.withUserConfiguration(AsyncOutside.class).withBean(Service.class, this::service).run((context) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = context.getBean(Service.class).interrupted(work);
			await("worker: order");
			((ScriptedStore) context.getBean(LockStore.class)).forget("order");
			context.getBean(LockTemplate.class).renew("order");
			assertThat(result).failsWithin(LONG);
			assertThat(work).isCancelled();
		});
	}

	@Test
	void insideOfTheLockAFutureHoldsItUntilTheWorkHasEnded() {
		this.runner.withUserConfiguration(AsyncInside.class)
			.withBean(FutureService.class, () -> new FutureService(this.events))
			.run((context) -> {
				CompletableFuture<String> work = new CompletableFuture<>();
				CompletableFuture<String> result = context.getBean(FutureService.class).later(work);
				await("worker");
				assertThat(result).isNotDone();
				work.complete("done");
				assertThat(result).succeedsWithin(LONG).isEqualTo("done");
				assertThat(this.events).containsExactly("worker", "release order");
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void insideOfTheLockAnotherResultIsRefused(boolean woven) {
		ApplicationContextRunner inside = (woven)
				? this.runner.withBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME, Object.class)
				: this.runner.withUserConfiguration(AsyncInside.class);
		inside.withBean(Service.class, this::service)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("Service.run(CountDownLatch) is also @Async, and @Async runs inside of the lock")
				.hasMessageContaining("Return a CompletableFuture"));
	}

	@Test
	void wovenInsideOfTheLockABeanThatIsMadeLaterIsRefusedAtTheStart() {
		this.runner.withBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME, Object.class)
			.withBean(Service.class, this::service, (definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(
						"Service.run(CountDownLatch) is also @Async, and @Async runs inside of the lock"));
	}

	private Service service() {
		return new Service(this.events);
	}

	private void await(String... expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	private static String thread() {
		return Thread.currentThread().getName().replaceAll("-\\d+", "");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncOutside {

		@Bean
		TaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor("worker-");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AsyncInside {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static AsyncAnnotationAdvisor async() {
			AsyncAnnotationAdvisor advisor = new AsyncAnnotationAdvisor(() -> new SimpleAsyncTaskExecutor("worker-"),
					null);
			advisor.setOrder(Ordered.LOWEST_PRECEDENCE);
			return advisor;
		}

	}

	static class FutureService {

		private final List<String> events;

		FutureService(List<String> events) {
			this.events = events;
		}

		@Async
		@DistributedLock("order")
		CompletableFuture<String> later(CompletableFuture<String> work) {
			this.events.add(thread());
			return work;
		}

	}

	static class Service {

		private final List<String> events;

		Service(List<String> events) {
			this.events = events;
		}

		@Async
		@DistributedLock("order")
		void run(CountDownLatch latch) throws InterruptedException {
			latch.await();
			this.events.add(thread() + ": " + LockContext.current().key());
		}

		@Async
		@DistributedLock("order")
		CompletableFuture<String> later(CompletableFuture<String> work) {
			this.events.add(thread() + ": " + LockContext.current().key());
			return work;
		}

		@Async
		@DistributedLock(name = "order", onLost = OnLost.INTERRUPT)
		CompletableFuture<String> interrupted(CompletableFuture<String> work) {
			this.events.add(thread() + ": " + LockContext.current().key());
			return work;
		}

		@Async
		@DistributedLock(name = "order", onUnavailable = OnUnavailable.SKIP)
		CompletableFuture<String> skipped() {
			throw new AssertionError("must not run");
		}

	}

}
