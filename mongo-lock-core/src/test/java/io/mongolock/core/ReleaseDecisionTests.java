package io.mongolock.core;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.core.ReleaseDecision.Judgement;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReleaseDecision}.
 */
class ReleaseDecisionTests {

	private final Lease lease = new Lease(new LeaseId("k", "t"), 1, LockTerms.of(LockSettings.NONE), at(0), (lost) -> {
	});

	@Test
	void aReleaseOfAHeldLockAsksTheStoreAndNeedsNoProof() {
		ReleaseDecision releasing = release(false, at(23_999));
		assertThat(releasing.asks()).isTrue();
		assertThat(releasing.needsProof()).isFalse();
		assertThat(releasing.answered(true)).isEqualTo(new Judgement(ReleaseOutcome.RELEASED, false));
		assertThat(this.lease.isHeld(at(1))).isFalse();
	}

	@Test
	void aHeldLockThatTheReleaseDoesNotFindWasLost() {
		assertThat(release(false, at(1)).answered(false)).isEqualTo(new Judgement(ReleaseOutcome.LOST, false));
	}

	@Test
	void aReleaseAfterTheDeadlineNeedsAProofAndIsAnOverrunOnlyWithIt() {
		ReleaseDecision releasing = release(false, at(24_000));
		assertThat(releasing.needsProof()).isTrue();
		assertThat(releasing.answered(true).outcome()).isEqualTo(ReleaseOutcome.EXPIRED_UNCONTESTED);
		assertThat(releasing.answered(false).outcome()).isEqualTo(ReleaseOutcome.LOST);
		assertThat(releasing.failed()).isEqualTo(new Judgement(ReleaseOutcome.LOST, true));
	}

	@Test
	void aReleaseWithoutAnswerIsTriedAgain() {
		assertThat(release(false, at(1)).failed()).isEqualTo(new Judgement(ReleaseOutcome.RELEASED, true));
	}

	@Test
	void aLeaseLostByARefusalIsNotReleasedInTheStore() {
		this.lease.lose(LossReason.REFUSED);
		ReleaseDecision releasing = release(false, at(1));
		assertThat(releasing.asks()).isFalse();
		assertThat(releasing.end()).isEqualTo(new Judgement(ReleaseOutcome.LOST, false));
	}

	@Test
	void aTokenWithAClaimInDoubtIsCleanedUpWhateverTheEnd() {
		assertThat(release(true, at(1)).answered(true).cleansUp()).isTrue();
	}

	private ReleaseDecision release(boolean unknown, ClockReading now) {
		return ReleaseDecision.of(this.lease, false, Duration.ZERO, unknown, now);
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
