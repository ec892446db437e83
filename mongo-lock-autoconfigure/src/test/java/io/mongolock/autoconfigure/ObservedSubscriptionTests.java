package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.observation.LockObservations;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Traces of publishers whose subscriber has an observation in its Context, and none on
 * its thread: as in Spring WebFlux unless
 * {@code spring.reactor.context-propagation=auto}.
 */
class ObservedSubscriptionTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final String KEY = ObservationThreadLocalAccessor.KEY;

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final Observation request = Observation.start("request", this.registry);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockStore.class, ScriptedStore::new)
		.withBean(ObservationRegistry.class, () -> this.registry)
		.withBean(Service.class)
		.withConfiguration(
				AutoConfigurations.of(MongoLockAutoConfiguration.class, LockObservationAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(strings = { "", "io.micrometer.context" })
	void aLockIsAChildOfTheRequestAndTheWorkOneOfTheLock(String missing) {
		ApplicationContextRunner some = (missing.isEmpty()) ? this.runner
				: this.runner.withClassLoader(new FilteredClassLoader(missing));
		some.run((context) -> {
			assertThat(subscribed(context.getBean(Service.class).pay()).get()).isEqualTo(LockObservations.HOLD);
			assertParents();
			assertThat(this.registry.getCurrentObservation()).isNull();
		});
	}

	@Test
	void alsoIfTheLockHasToBeWaitedFor() {
		this.runner.run((context) -> {
			LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("order"));
			this.registry.clear();
			CompletableFuture<String> result = subscribed(context.getBean(Service.class).pay());
			LockTemplate locks = context.getBean(LockTemplate.class);
			Awaitility.await().until(() -> locks.waiting("order") == 1);
			held.close();
			assertThat(result).succeedsWithin(LONG).isEqualTo(LockObservations.HOLD);
			assertParents();
		});
	}

	@Test
	void withoutAnObservationInTheContextTheOneOfTheCallerCounts() {
		this.runner.run((context) -> {
			Mono<String> called = this.request.scoped(() -> context.getBean(Service.class).pay());
			assertThat(called.subscribeOn(Schedulers.parallel()).block(LONG)).isEqualTo(LockObservations.HOLD);
			assertParents();
		});
	}

	@Test
	void severalLocksAreNested() {
		this.runner.run((context) -> {
			assertThat(subscribed(context.getBean(Service.class).several()).get()).isEqualTo(LockObservations.HOLD);
			assertThatRegistry().hasNumberOfObservationsWithNameEqualTo(LockObservations.HOLD, 2)
				.forAllObservationsWithNameEqualTo(LockObservations.ACQUIRE, (one) -> one.hasParentObservation())
				.forAllObservationsWithNameEqualTo(LockObservations.HOLD, (one) -> one.hasParentObservation());
		});
	}

	private CompletableFuture<String> subscribed(Mono<String> mono) {
		return mono.subscribeOn(Schedulers.parallel())
			.contextWrite((context) -> context.put(KEY, this.request))
			.toFuture();
	}

	private void assertParents() {
		assertThatRegistry()
			.forAllObservationsWithNameEqualTo(LockObservations.ACQUIRE,
					(one) -> one.hasParentObservationEqualTo(this.request))
			.forAllObservationsWithNameEqualTo(LockObservations.HOLD,
					(one) -> one.hasParentObservationEqualTo(this.request))
			.hasNumberOfObservationsWithNameEqualTo(LockObservations.HOLD, 1);
	}

	private TestObservationRegistryAssert assertThatRegistry() {
		return TestObservationRegistryAssert.assertThat(this.registry);
	}

	// Public for a proxy that another class loader defines
	public static class Service {

		@DistributedLock(key = "'order'")
		public Mono<String> pay() {
			return observed();
		}

		@DistributedLock(key = "'order'")
		@DistributedLock(key = "'a second'")
		public Mono<String> several() {
			return observed();
		}

		private static Mono<String> observed() {
			return Mono.deferContextual((context) -> Mono.just(context.<Observation>get(KEY).getContext().getName()))
				.subscribeOn(Schedulers.parallel());
		}

	}

}
