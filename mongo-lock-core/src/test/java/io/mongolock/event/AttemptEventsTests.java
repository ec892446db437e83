package io.mongolock.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.OnUnavailable;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.QueuePlaces;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;
import io.mongolock.store.StoreServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AttemptEvents}.
 */
class AttemptEventsTests {

	private final List<AttemptOutcome> outcomes = new ArrayList<>();

	private final AttemptEvents events = new LockEvents(List.of(new LockInstrumentation() {

		@Override
		public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
				@Nullable LockStoreException failure, Duration waited) {
			AttemptEventsTests.this.outcomes.add(outcome);
		}

	}), LockClock.system(), (name) -> Thread::new).ofClaims(StoreServers.UNKNOWN);

	@ParameterizedTest
	@CsvSource({ "NO_WAIT, FAIL, DENIED", "TIMEOUT, FAIL, TIMEOUT", "QUEUE_FULL, FAIL, QUEUE_FULL",
			"DEADLOCK, FAIL, DEADLOCK", "QUEUE_FULL, SKIP, SKIPPED" })
	void whenOthersHoldTheLockThenTheOutcomeSaysWhyTheAttemptWaitsNoLonger(Denied.Reason reason,
			OnUnavailable onUnavailable, AttemptOutcome outcome) {
		LockRequest request = LockRequest.builder("k").onUnavailable(onUnavailable).build();
		this.events.stepped(acquisition(request), new Denied(List.of(), false, reason), AttemptOutcome.CANCELLED);
		assertThat(this.outcomes).containsExactly(outcome);
	}

	private static LockAcquisition acquisition(LockRequest request) {
		Attempt attempt = Attempt.of(request, "t", new LockOwner("app", "1", "host", 1, "main"), "main",
				ConfiguredSettings.NONE, ClockReading.of(LockClock.system()));
		return new LockAcquisition(
				new ClientQueues(new QueuePlaces(Duration.ofSeconds(6), 100, (bound) -> 0L), () -> true), attempt, 0,
				(lost) -> {
				});
	}

}
