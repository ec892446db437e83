package io.mongolock.client;

import org.junit.jupiter.api.Test;

import io.mongolock.LockSettings;
import io.mongolock.LockTerms;
import io.mongolock.LossReason;
import io.mongolock.client.Releasing.End;
import io.mongolock.renewal.Lease;
import io.mongolock.renewal.Moment;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Releasing}.
 */
class ReleasingTests {

	private final Lease lease = new Lease(new LeaseId("k", "t"), 1, LockTerms.of(LockSettings.NONE), at(0), (lost) -> {
	});

	@Test
	void whatIsHeldIsReleasedFast() {
		Releasing releasing = Releasing.begin(this.lease, false, at(23_999));
		assertThat(releasing.asks()).isTrue();
		assertThat(releasing.needsProof()).isFalse();
		assertThat(releasing.answered(true)).isEqualTo(new End(ReleaseOutcome.RELEASED, false));
		assertThat(this.lease.isHeld(at(1))).isFalse();
	}

	@Test
	void whatWasHeldButIsGoneWasLost() {
		assertThat(Releasing.begin(this.lease, false, at(1)).answered(false))
			.isEqualTo(new End(ReleaseOutcome.LOST, false));
	}

	@Test
	void whatRanOutAsksForAProofAndIsAnOverrunOnlyWithIt() {
		Releasing releasing = Releasing.begin(this.lease, false, at(24_000));
		assertThat(releasing.needsProof()).isTrue();
		assertThat(releasing.answered(true).outcome()).isEqualTo(ReleaseOutcome.OVERRAN);
		assertThat(releasing.answered(false).outcome()).isEqualTo(ReleaseOutcome.LOST);
		assertThat(releasing.failed()).isEqualTo(new End(ReleaseOutcome.LOST, true));
	}

	@Test
	void aReleaseWithoutAnswerIsTriedAgain() {
		assertThat(Releasing.begin(this.lease, false, at(1)).failed())
			.isEqualTo(new End(ReleaseOutcome.RELEASED, true));
	}

	@Test
	void whatTheStoreRefusedIsNotAskedForAgain() {
		this.lease.lose(LossReason.REFUSED);
		Releasing releasing = Releasing.begin(this.lease, false, at(1));
		assertThat(releasing.asks()).isFalse();
		assertThat(releasing.answered(false).outcome()).isEqualTo(ReleaseOutcome.LOST);
	}

	@Test
	void aTokenWithAClaimInDoubtIsCleanedUpWhateverTheEnd() {
		assertThat(Releasing.begin(this.lease, true, at(1)).answered(true).cleansUp()).isTrue();
	}

	private static Moment at(long millis) {
		return new Moment(millis * 1_000_000, millis);
	}

}
