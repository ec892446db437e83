package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.observation.DefaultLockObservationConvention;
import io.mongolock.observation.LockObservations;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.LeaseEnd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockObservations} of a {@link LockTemplate}.
 */
@Timeout(60)
class LockObservationTests {

	private static final LockRequest REQUEST = LockRequest.of("order", 7);

	private final ScriptedStore store = new ScriptedStore();

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final LockTemplate template = template(false);

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void aClaimAndWhatIsHeldAreObservedByNameWithoutTheKey() {
		this.template.acquire(REQUEST).close();
		assertThatRegistry().hasNumberOfObservationsEqualTo(2)
			.hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
			.that()
			.hasBeenStopped()
			.hasContextualNameEqualTo("mongo.lock.acquire order")
			.hasLowCardinalityKeyValue("lock", "order")
			.hasLowCardinalityKeyValue("outcome", "granted")
			.doesNotHaveHighCardinalityKeyValueWithKey("lock.key")
			.doesNotHaveEvent("queued");
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.HOLD)
			.that()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("outcome", "completed");
	}

	@Test
	void theObservationOfAHoldThatIsPassedOnCompletes() {
		LockHandle handle = this.template.acquire(REQUEST);
		((LeaseControl) handle).end(LeaseEnd.PASSED_ON);
		handle.close();
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.HOLD)
			.that()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("outcome", "completed");
	}

	@Test
	void theKeyIsThereIfItIsToBeShown() {
		LockTemplate showing = template(true);
		showing.acquire(REQUEST).close();
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
			.that()
			.hasHighCardinalityKeyValue("lock.key", "order:7");
		showing.stop(Duration.ofSeconds(1));
	}

	@Test
	void aWaiterIsObservedAsQueuedWokenAndGranted() {
		List<String> events = new CopyOnWriteArrayList<>();
		this.registry.observationConfig().observationHandler(new EventRecorder(events));
		LockHandle held = this.template.acquire(REQUEST);
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		held.close();
		waiting.join().close();
		assertThat(events).containsExactly("mongo.lock.acquire queued", "mongo.lock.acquire woken",
				"mongo.lock.acquire granted");
	}

	@Test
	void whoTakesAnIdleLeaseWithoutAWaitIsNotObservedAsWoken() {
		List<String> events = new CopyOnWriteArrayList<>();
		this.registry.observationConfig().observationHandler(new EventRecorder(events));
		LockRequest lingering = LockRequest.builder("order:8").linger(Duration.ofMinutes(1)).build();
		this.template.acquire(lingering).close();
		this.template.acquire(lingering).close();
		assertThat(this.template.idle()).hasSize(1);
		this.template.acquireAsync(lingering).join().close();
		assertThat(this.store.count("acquire")).isEqualTo(2);
		assertThat(events).isEmpty();
	}

	@Test
	void theWorkIsObservedWithinTheHoldAndClaimAndHoldWithinTheCaller() {
		Observation caller = Observation.start("caller", this.registry);
		Observation within = caller.scoped(() -> this.template.execute(REQUEST, (held) -> current()));
		assertThat(Objects.requireNonNull(within).getContext().getName()).isEqualTo(LockObservations.HOLD);
		assertThat(within.getContext().getParentObservation()).isSameAs(caller);
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
			.that()
			.hasParentObservationEqualTo(caller);
		assertThat(current()).isNull();
	}

	@Test
	void theStoreIsAskedWithinTheClaim() {
		Observation[] asking = new Observation[1];
		this.store.next("acquire", (request) -> {
			asking[0] = current();
			request.run();
		});
		this.template.acquireAsync(REQUEST).join();
		assertThat(asking[0].getContext().getName()).isEqualTo(LockObservations.ACQUIRE);
	}

	@Test
	void anAsynchronousClaimHasTheSameParents() {
		Observation caller = Observation.start("caller", this.registry);
		Observation within = caller
			.scoped(() -> this.template.executeAsync(REQUEST, (held) -> CompletableFuture.completedFuture(current())))
			.join();
		assertThat(within.getContext().getName()).isEqualTo(LockObservations.HOLD);
		assertThat(within.getContext().getParentObservation()).isSameAs(caller);
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
			.that()
			.hasParentObservationEqualTo(caller);
	}

	@Test
	void renewalsAndTheLossAreEventsOfWhatIsHeld() {
		LockHandle held = this.template.acquire(REQUEST
			.with(LockSettings.builder().ttl(Duration.ofMinutes(30)).renewInterval(Duration.ofMillis(20)).build()));
		Awaitility.await().until(() -> this.store.count("renew") > 1);
		this.store.forget("order:7");
		// Not before it is measured: who closes it sooner ends the observation first
		Awaitility.await()
			.untilAsserted(() -> assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.HOLD)
				.that()
				.hasEvent("lost"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.HOLD)
			.that()
			.hasBeenStopped()
			.hasEvent("renewed")
			.hasEvent("lost")
			.hasLowCardinalityKeyValue("outcome", "lost")
			.thenError()
			.isInstanceOf(LockLostException.class);
	}

	@Test
	void aLossThatIsNoticedAtTheReleaseIsAnEventAndAnError() {
		LockHandle held = this.template.acquire(REQUEST);
		this.store.forget("order:7");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.HOLD)
			.that()
			.hasBeenStopped()
			.hasEvent("lost")
			.hasLowCardinalityKeyValue("outcome", "lost")
			.thenError()
			.isInstanceOf(LockLostException.class)
			.hasMessageContaining("order:7");
	}

	@Test
	void aClaimThatTheStoreFailsIsAnErrorAndOneThatIsDeniedIsNone() {
		this.store.nextFails("acquire", Outcome.REFUSED, false);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThatRegistry().hasObservationWithNameEqualTo(LockObservations.ACQUIRE)
			.that()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("outcome", "failed")
			.thenError()
			.isInstanceOf(LockStoreException.class);
		this.registry.clear();
		LockHandle held = this.template.acquire(REQUEST);
		assertThat(CompletableFuture.supplyAsync(
				() -> this.template.tryAcquire(REQUEST.with(LockSettings.builder().waitTimeout(Duration.ZERO).build())))
			.join()).isEmpty();
		assertThatRegistry().forAllObservationsWithNameEqualTo(LockObservations.ACQUIRE,
				(claim) -> claim.doesNotHaveError());
		held.close();
	}

	private TestObservationRegistryAssert assertThatRegistry() {
		return TestObservationRegistryAssert.assertThat(this.registry);
	}

	private @Nullable Observation current() {
		return this.registry.getCurrentObservation();
	}

	private LockTemplate template(boolean showKeys) {
		ConfiguredSettings configured = new ConfiguredSettings(
				LockSettings.builder().ttl(Duration.ofMinutes(30)).waitTimeout(Duration.ofMinutes(10)).build(),
				Map.of());
		return new LockTemplate(this.store,
				new ClientOptions(configured, new LockOwner("app", "1", "host", 42, ""), LockClock.system(),
						List.of(new LockObservations(this.registry, new DefaultLockObservationConvention(showKeys))))
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(new HandOver(Duration.ZERO, 0)));
	}

	private record EventRecorder(List<String> events) implements ObservationHandler<Observation.Context> {

		@Override
		public void onEvent(Observation.Event event, Observation.Context context) {
			this.events.add(context.getName() + " " + event.getName());
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
