package io.mongolock.core;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.core.ReleaseDecision.End;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HeldLock}.
 */
class HeldLockTests {

	private final List<String> told = new ArrayList<>();

	private final HeldLock heldLock = granted();

	@Test
	void theLastToLetGoReleases() {
		assertThat(this.heldLock.share()).isTrue();
		assertThat(this.heldLock.unshare()).isFalse();
		assertThat(this.heldLock.unshare()).isTrue();
		assertThat(this.heldLock.share()).isFalse();
	}

	@Test
	void whoWorksUnderItKnowsOfALossBeforeTheClient() {
		this.heldLock.onLoss(() -> this.told.add("worker"));
		assertThat(this.heldLock.renewed(false, at(1), at(2))).isFalse();
		assertThat(this.told).containsExactly("worker", "client REFUSED");
	}

	@Test
	void whoComesAfterTheLossKnowsAtOnceAndWhoHasGoneNotAtAll() {
		Runnable gone = () -> this.told.add("gone");
		this.heldLock.onLoss(gone);
		this.heldLock.removeOnLoss(gone);
		assertThat(this.heldLock.lease().isHeld(at(24_000))).isFalse();
		this.heldLock.onLoss(() -> this.told.add("late"));
		assertThat(this.told).containsExactly("client DEADLINE", "late");
	}

	@Test
	void aRenewalThatFoundTheLeaseLengthensIt() {
		assertThat(this.heldLock.renewed(true, at(10_000), at(10_001))).isTrue();
		assertThat(this.heldLock.lease().isHeld(at(33_999))).isTrue();
	}

	@Test
	void whatMayStillTakeEffectIsNotReleased() {
		this.heldLock.letExpire();
		ReleaseDecision releasing = this.heldLock.release(at(1));
		assertThat(releasing.asks()).isFalse();
		assertThat(releasing.end()).isEqualTo(new End(ReleaseOutcome.LEFT_TO_EXPIRE, false));
		assertThat(this.heldLock.lease().isHeld(at(1))).isFalse();
	}

	@Test
	void whatMayStillTakeEffectAndWasLostIsLost() {
		this.heldLock.letExpire();
		assertThat(this.heldLock.release(at(24_000)).end().outcome()).isEqualTo(ReleaseOutcome.LOST);
	}

	@Test
	void aStopReleasesOnceAndItsHolderHasLost() {
		assertThat(this.heldLock.abandon()).isTrue();
		assertThat(this.heldLock.lossReason()).isEqualTo(LossReason.SHUTDOWN);
		assertThat(this.heldLock.abandon()).isFalse();
		ReleaseDecision releasing = this.heldLock.release(at(1));
		assertThat(releasing.asks()).isFalse();
		assertThat(releasing.end()).isEqualTo(new End(ReleaseOutcome.LOST, false));
	}

	@Test
	void aStopDoesNotReleaseWhatIsReleasedAlreadyOrLeftToExpire() {
		this.heldLock.release(at(1));
		assertThat(this.heldLock.abandon()).isFalse();
		HeldLock other = granted();
		other.letExpire();
		assertThat(other.abandon()).isFalse();
		assertThat(other.lossReason()).isEqualTo(LossReason.SHUTDOWN);
	}

	@Test
	void itsHolderIsDescribedByWhatIsLeft() {
		assertThat(this.heldLock.toHolder(at(4_000)).remaining()).hasMillis(20_000);
		assertThat(this.heldLock.toHolder(at(4_000)).heldFor()).hasMillis(3_999);
	}

	private HeldLock granted() {
		StoredHolder holder = new StoredHolder("t", 7, 1, new LockOwner("app", "1", "host", 42, ""), Instant.EPOCH,
				Instant.EPOCH, ResolvedLockSettings.DEFAULT_TTL);
		Grant grant = new Grant(LockRequest.of("k"), new LeaseId("k", "t"), ResolvedLockSettings.of(LockSettings.NONE),
				holder, at(0), List.of(), false);
		return new HeldLock(grant, at(1),
				(lost) -> this.told.add("client " + Optional.ofNullable(lost.lossReason()).orElseThrow()));
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
