package io.mongolock.jobs;

import java.time.InstantSource;
import java.util.function.Supplier;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobObservations} of a {@link JobRunner}.
 */
class JobObservationTests extends AbstractRunnerTests {

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final JobRunner observed = runner(() -> new JobObservations(this.registry, new JobObservationConvention() {
	}));

	@Override
	JobRuns open(InstantSource clock) {
		return new MemoryJobRuns(clock);
	}

	@Test
	void whenAnAttemptSucceedsThenItIsObservedWithItsNameAndNumber() {
		this.kept.add(JobRun.begun("nightly", TICK, 1, 0, TICK, "gone"));
		this.observed.run("nightly", TICK, null, this.runs::add);
		assertThatAttempt().hasBeenStarted()
			.hasBeenStopped()
			.hasContextualNameEqualTo("mongo.lock.job.attempt nightly")
			.hasLowCardinalityKeyValue("name", "nightly")
			.hasLowCardinalityKeyValue("outcome", "succeeded")
			.hasHighCardinalityKeyValue("attempt", "2")
			.hasHighCardinalityKeyValue("tick", TICK.toString())
			.doesNotHaveError();
		assertThat(this.registry.getCurrentObservation()).isNull();
	}

	@Test
	void whenTheWorkFailsThenTheObservationHasItsError() {
		IllegalStateException failure = new IllegalStateException("no paper");
		this.observed.run("nightly", TICK, null, (run) -> {
			throw failure;
		});
		assertThatAttempt().hasBeenStopped().hasLowCardinalityKeyValue("outcome", "failed").hasError(failure);
	}

	@Test
	void whenTheWorkIsCutOffThenTheAttemptIsLeft() {
		this.observed.run("nightly", TICK, null, (run) -> {
			this.observed.cutOff();
			throw new IllegalStateException("interrupted");
		});
		assertThatAttempt().hasBeenStopped().hasLowCardinalityKeyValue("outcome", "left");
	}

	@Test
	void whenCodeRunsATickThenTheWorkIsObservedBelowTheAttemptAndThatBelowTheCaller() {
		Observation caller = Observation.start("caller", this.registry);
		try (Observation.Scope scope = caller.openScope()) {
			assertThat(scope.getCurrentObservation()).isSameAs(caller);
			this.observed.run("nightly", TICK, null,
					(run) -> Observation.createNotStarted("work", this.registry).observe(() -> {
					}));
		}
		caller.stop();
		assertThatAttempt().hasParentObservationEqualTo(caller);
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasObservationWithNameEqualTo("work")
			.that()
			.hasParentObservationContextMatching((parent) -> parent instanceof JobObservationContext);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenTheScopeOfAnAttemptFailsThenItsObservationIsStopped(boolean atBegin) {
		this.registry.observationConfig().observationHandler(new ObservationHandler<JobObservationContext>() {

			@Override
			public void onScopeOpened(JobObservationContext context) {
				fail(atBegin);
			}

			@Override
			public void onScopeClosed(JobObservationContext context) {
				fail(!atBegin);
			}

			private void fail(boolean now) {
				if (now) {
					throw new IllegalStateException("no tracer");
				}
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof JobObservationContext;
			}

		});
		this.observed.run("nightly", TICK, null, this.runs::add);
		assertThatAttempt().hasBeenStopped();
		assertTicks(TICK);
		assertThat(this.registry.getCurrentObservation()).isNull();
	}

	@Test
	void whenNothingRunsThenNothingIsObserved() {
		this.observed.run("nightly", TICK, null, this.runs::add);
		this.observed.run("nightly", TICK, null, this.runs::add);
		TestObservationRegistryAssert.assertThat(this.registry).hasNumberOfObservationsEqualTo(1);
	}

	@Test
	void whenThereIsAConventionThenItsKeyValuesCount() {
		JobRunner own = runner(() -> new JobObservations(this.registry, new JobObservationConvention() {

			@Override
			public KeyValues getLowCardinalityKeyValues(JobObservationContext context) {
				return KeyValues.of("job", context.run().job());
			}

		}));
		own.run("nightly", TICK, null, this.runs::add);
		assertThatAttempt().hasLowCardinalityKeyValue("job", "nightly")
			.doesNotHaveLowCardinalityKeyValueWithKey("outcome");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenAnObserverFailsThenTheJobRunsAllTheSame(boolean atBegin) {
		JobRunner failing = runner(() -> (run) -> {
			if (atBegin) {
				throw new NoClassDefFoundError("Tracer");
			}
			return (ended, failure) -> {
				throw new IllegalStateException("no tracer");
			};
		});
		assertThat(failing.run("nightly", TICK, null, this.runs::add)).isNotNull();
		assertTicks(TICK);
		assertThat(this.kept.last("nightly", 1)).extracting(JobRun::outcome).containsExactly(JobOutcome.SUCCEEDED);
	}

	private JobRunner runner(Supplier<JobObserver> observer) {
		return new JobRunner(this.locks, this.kept, this.heard::add, "one", observer);
	}

	private TestObservationRegistryAssert.TestObservationRegistryAssertReturningObservationContextAssert assertThatAttempt() {
		return TestObservationRegistryAssert.assertThat(this.registry)
			.hasObservationWithNameEqualTo(JobObservationConvention.NAME)
			.that();
	}

}
