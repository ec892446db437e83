package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.LockAcquisition.Denied;
import io.mongolock.core.LockAcquisition.Failed;
import io.mongolock.core.LockAcquisition.Granted;
import io.mongolock.core.LockAcquisition.Pause;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockAcquisition}: ttl 30 s, margin 6 s, wait 5 s, retry 100 ms.
 */
class LockAcquisitionTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private final LockAcquisition claiming = claiming(Duration.ofSeconds(5));

	@Test
	void aGrantIsRelyableFromTheTimeItsRequestLeft() {
		assertThat(this.claiming.answered(granted(), at(10), at(20))).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.requested()).isEqualTo(at(10)));
		assertThat(this.claiming.unknown()).isFalse();
	}

	@Test
	void anAnswerThatCameTooLateToBeReliedOnIsAskedAgainWithinTheWait() {
		LockAcquisition patient = claiming(Duration.ofMinutes(5));
		assertThat(patient.answered(granted(), at(0), at(24_000))).isInstanceOf(Pause.class);
		assertThat(patient.unknown()).as("the token is in the store").isTrue();
		assertThat(patient.answered(granted(), at(24_100), at(24_101))).isInstanceOf(Granted.class);
	}

	@Test
	void anAnswerThatCameTooLateAfterTheWaitIsAFailure() {
		assertThat(this.claiming.answered(granted(), at(0), at(24_000))).isInstanceOfSatisfying(Failed.class,
				(failed) -> assertThat(failed.failure()).hasMessageContaining("took 24000ms"));
		assertThat(this.claiming.unknown()).isTrue();
	}

	@Test
	void aHeldLockIsLookedAtAgainAfterAJitteredPauseUntilTheWaitIsOver() {
		assertThat(this.claiming.answered(denied(), at(0), at(0))).isEqualTo(new Pause(100_000_000));
		assertThat(this.claiming.answered(denied(), at(4_950), at(4_960))).as("the last look is on time")
			.isEqualTo(new Pause(40_000_000));
		assertThat(this.claiming.answered(denied(), at(5_000), at(5_001))).isInstanceOfSatisfying(Denied.class,
				(end) -> assertThat(end.holders()).singleElement()
					.satisfies((holder) -> assertThat(holder.remaining()).hasSeconds(20)));
	}

	@Test
	void withoutAWaitOneDenialIsTheEnd() {
		assertThat(claiming(Duration.ZERO).answered(denied(), at(0), at(1))).isInstanceOf(Denied.class);
	}

	@Test
	void anUnknownRequestIsAskedAgainUnderTheSameTokenAndRemembered() {
		assertThat(this.claiming.failed(failure(Outcome.UNKNOWN), at(3_000))).isInstanceOf(Pause.class);
		assertThat(this.claiming.answered(granted(), at(3_100), at(3_101))).isInstanceOf(Granted.class);
		assertThat(this.claiming.unknown()).as("a late duplicate may be granted again").isTrue();
	}

	@Test
	void anUnknownRequestAfterTheWaitReportsTheStoresFailure() {
		LockStoreException failure = failure(Outcome.UNKNOWN);
		assertThat(this.claiming.failed(failure, at(5_000))).isEqualTo(new Failed(failure));
		assertThat(this.claiming.unknown()).isTrue();
	}

	@Test
	void aRequestThatNeverRanIsAskedAgainAndLeavesNothingToCleanUp() {
		assertThat(this.claiming.failed(failure(Outcome.NOT_EXECUTED), at(100))).isInstanceOf(Pause.class);
		assertThat(this.claiming.failed(failure(Outcome.NOT_EXECUTED), at(5_000))).isInstanceOf(Failed.class);
		assertThat(this.claiming.unknown()).isFalse();
	}

	@Test
	void aRefusalIsTheEndAtOnce() {
		assertThat(this.claiming.failed(failure(Outcome.REFUSED), at(1))).isInstanceOf(Failed.class);
	}

	@Test
	void aDenialAfterAnUnknownRequestStillLeavesATokenToCleanUp() {
		this.claiming.failed(failure(Outcome.UNKNOWN), at(100));
		assertThat(this.claiming.answered(denied(), at(5_000), at(5_001))).isInstanceOf(Denied.class);
		assertThat(this.claiming.unknown()).isTrue();
	}

	@Test
	void theGrantTellsWhoseLeaseHadLapsed() {
		StoredHolder lapsed = holder("other", NOW.minusSeconds(60));
		StoredHolder alive = holder("neighbour", NOW.minusSeconds(1));
		ClaimAnswer answer = new ClaimAnswer(List.of(alive, holder("mine", NOW)), List.of(lapsed, alive), NOW);
		assertThat(this.claiming.answered(answer, at(0), at(1))).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.lapsed()).singleElement()
					.satisfies((holder) -> assertThat(holder.owner().thread()).isEqualTo("other")));
	}

	private static LockAcquisition claiming(Duration waitTimeout) {
		ResolvedLockSettings terms = ResolvedLockSettings.of(LockSettings.builder().waitTimeout(waitTimeout).build());
		return new LockAcquisition(new LeaseId("k", "mine"), terms, at(0), (bound) -> bound - 1);
	}

	private static ClaimAnswer granted() {
		return new ClaimAnswer(List.of(holder("mine", NOW)), List.of(), NOW);
	}

	private static ClaimAnswer denied() {
		return new ClaimAnswer(List.of(holder("other", NOW.minusSeconds(10))), List.of(), NOW);
	}

	private static StoredHolder holder(String token, Instant renewedAt) {
		return new StoredHolder(token, 7, 1, new LockOwner("app", "1", "host", 2, token), renewedAt, renewedAt,
				Duration.ofSeconds(30));
	}

	private static LockStoreException failure(Outcome outcome) {
		return new LockStoreException("k", outcome, "no", null);
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
