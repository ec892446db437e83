package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.observation.LockMeters;
import io.mongolock.observation.LockObservationContext;
import io.mongolock.observation.LockObservationConvention;
import io.mongolock.observation.LockObservations;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockObservationAutoConfiguration} beside
 * {@link LockMetricsAutoConfiguration}.
 */
class LockObservationAutoConfigurationTests {

	private static final List<String> GAUGES = List.of("mongo.lock.held", "mongo.lock.waiting", "mongo.lock.idle");

	private final ApplicationContextRunner metered = metered(ScriptedStore.class);

	private final ApplicationContextRunner observed = observed(this.metered);

	private final ApplicationContextRunner traced = this.observed.withBean(Tracer.class);

	@Test
	void namesWithSettingsOfTheirOwnAreThereAtZeroFromTheStart() {
		this.metered.withPropertyValues("mongo-lock.locks.settle.ttl=2m")
			.run((context) -> assertThat(context.getBean(MeterRegistry.class)
				.get("mongo.lock.lost")
				.tag("lock", "settle")
				.tag("reason", "deadline")
				.counter()
				.count()).isZero());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void theGaugesAreThereFromTheStart(boolean lazy) {
		this.metered.withInitializer((context) -> {
			if (lazy) {
				context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
			}
		}).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(GAUGES).allSatisfy((name) -> assertThat(registry.get(name).gauge().value()).isZero());
			context.getBean(LockOperations.class)
				.execute(LockRequest.of("order", 7),
						(held) -> assertThat(registry.get("mongo.lock.held").gauge().value()).isOne());
		});
	}

	@Test
	void theGaugesShowAClientOfTheUsersOwn() {
		LockTemplate own = Mockito.mock(LockTemplate.class);
		BDDMockito.given(own.held()).willReturn(3);
		this.metered.withBean(LockTemplate.class, () -> own)
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).get("mongo.lock.held").gauge().value())
				.isEqualTo(3));
	}

	@Test
	void aStartMakesNoConfigurationsOfThem() {
		this.traced.run((context) -> assertThat(context.getBeanFactory().getSingletonNames())
			.noneMatch((name) -> name.startsWith("io.mongolock.")));
	}

	@Test
	void claimsAndHoldsAreTimedOnceByTheirObservations() {
		this.traced.run((context) -> {
			work(context);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(context.getBean(LockObservations.class).observes()).isTrue();
			assertThat(registry.find("mongo.lock.acquire").meters()).hasSize(1);
			assertThat(registry.get("mongo.lock.acquire")
				.tags("lock", "order", "outcome", "granted", "error", "none")
				.timer()
				.count()).isEqualTo(1);
			assertThat(registry.find("mongo.lock.hold").meters()).hasSize(1);
			assertThat(registry.get("mongo.lock.hold").tags("lock", "order", "error", "none").timer().count())
				.isEqualTo(1);
		});
	}

	@Test
	void whereNobodyTracesTheyAreTimedWithoutObservationsByTheSameNamesAndTags() {
		this.observed.run((context) -> {
			work(context);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(context.getBean(LockObservations.class).observes()).isFalse();
			assertThat(registry.find("mongo.lock.acquire").meters()).hasSize(1);
			assertThat(registry.get("mongo.lock.acquire")
				.tags("lock", "order", "outcome", "granted", "error", "none")
				.timer()
				.count()).isEqualTo(1);
			assertThat(registry.find("mongo.lock.hold").meters()).hasSize(1);
			assertThat(registry.get("mongo.lock.hold").tags("lock", "order", "error", "none").timer().count())
				.isEqualTo(1);
		});
	}

	@Test
	void failuresAndLossesHaveTheSameTagsEitherWay() {
		ApplicationContextRunner observed = observed(metered(ForgetfulStore.class));
		for (ApplicationContextRunner runner : List.of(observed, observed.withBean(Tracer.class))) {
			runner.run((context) -> {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> work(context));
				assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> work(context));
				assertThat(timers(context.getBean(MeterRegistry.class))).containsExactlyInAnyOrder(
						"mongo.lock.acquire {error=none, lock=order, outcome=granted}",
						"mongo.lock.acquire {error=LockStoreException, lock=order, outcome=failed}",
						"mongo.lock.hold {error=LockLostException, lock=order, outcome=lost}");
			});
		}
	}

	@Test
	void withoutObservationsTheyAreTimedAllTheSame() {
		this.metered.run((context) -> {
			work(context);
			assertThat(context).hasSingleBean(LockMeters.class).doesNotHaveBean(LockObservations.class);
			assertThat(context.getBean(MeterRegistry.class)
				.get("mongo.lock.acquire")
				.tags("lock", "order", "outcome", "granted")
				.timer()
				.count()).isEqualTo(1);
		});
	}

	@Test
	void anObservationRegistryThatTimesNothingLeavesTheTimersToTheMeters() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class,
					LockMetricsAutoConfiguration.class, LockObservationAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withBean(ObservationRegistry.class, LockObservationAutoConfigurationTests::traced)
			.withBean(ScriptedStore.class)
			.run((context) -> {
				work(context);
				assertThat(context.getBean(LockObservations.class).observes()).isTrue();
				assertThat(context.getBean(MeterRegistry.class).get("mongo.lock.hold").timer().count()).isEqualTo(1);
			});
	}

	@Test
	void theConventionMayBeReplaced() {
		this.observed.withBean(LockObservationConvention.class, Shout::new).run((context) -> {
			work(context);
			assertThat(context.getBean(MeterRegistry.class)
				.get("mongo.lock.acquire")
				.tag("shouted", "ORDER")
				.timer()
				.count()).isEqualTo(1);
		});
	}

	@Test
	void observationsMayBeSwitchedOff() {
		this.traced.withPropertyValues("management.observations.enable.mongo.lock.acquire=false").run((context) -> {
			work(context);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.find("mongo.lock.acquire").meters()).isEmpty();
			assertThat(registry.get("mongo.lock.hold").timer().count()).isEqualTo(1);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whenNamesAreMadeOfDataThenTheirMetersAreBoundedAndThatIsSaidOnce(CapturedOutput output) {
		this.metered.run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			for (int i = 0; i < LockNamesMeterFilter.MAX_NAMES + 2; i++) {
				locks.execute(LockRequest.of("order" + i, 1), (held) -> null);
			}
			assertThat(context.getBean(MeterRegistry.class).find("mongo.lock.hold").timers())
				.hasSize(LockNamesMeterFilter.MAX_NAMES);
			assertThat(output).containsOnlyOnce("There are more than 500 lock names")
				.contains("The name 'order500' and all further names");
		});
	}

	@Test
	void withoutMicrometerThereIsNothing() {
		this.metered.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockMeters.class)
				.doesNotHaveBean(LockObservations.class));
	}

	private static ApplicationContextRunner metered(Class<? extends LockStore> store) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class, MetricsAutoConfiguration.class,
					LockMetricsAutoConfiguration.class, LockObservationAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withBean(store);
	}

	private static ApplicationContextRunner observed(ApplicationContextRunner metered) {
		return metered.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class));
	}

	private static List<String> timers(MeterRegistry registry) {
		return Stream.of("mongo.lock.acquire", "mongo.lock.hold")
			.flatMap((name) -> registry.find(name).timers().stream())
			.map(Timer::getId)
			.map((id) -> id.getName() + " "
					+ id.getTags()
						.stream()
						.collect(Collectors.toMap(Tag::getKey, Tag::getValue, (one, other) -> one, TreeMap::new)))
			.toList();
	}

	private static ObservationRegistry traced() {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new Tracer());
		return registry;
	}

	private static void work(ApplicationContext context) {
		context.getBean(LockOperations.class).execute(LockRequest.of("order", 7), (held) -> held.fence());
	}

	private static final class Shout implements LockObservationConvention {

		@Override
		public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
			return KeyValues.of("shouted", String.valueOf(context.request().name()).toUpperCase());
		}

	}

	/** Grants once, has nothing to release then, and fails from then on. */
	static final class ForgetfulStore extends ScriptedStore {

		private final AtomicInteger claims = new AtomicInteger();

		@Override
		public ClaimAnswer acquire(Claim claim, Duration timeout) {
			if (this.claims.getAndIncrement() != 0) {
				throw new LockStoreException(claim.id().key(), Outcome.REFUSED, "forgetful", null);
			}
			return super.acquire(claim, timeout);
		}

		@Override
		public ReleaseAnswer release(LeaseId lease, Duration timeout) {
			return new ReleaseAnswer(false, false);
		}

	}

	static final class Tracer implements ObservationHandler<Observation.Context> {

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
