package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.mongolock.LockHolder;
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

	@Test
	void whoHoldsItInTurnIsDescribedByItself() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		HandOverHarness.Waiter a = jvm.waiting("a");
		jvm.release(first, 100);
		LockHolder holder = a.held().toHolder(at(1_000));
		assertThat(holder.owner().thread()).isEqualTo("a");
		assertThat(holder.fence()).isEqualTo(101);
		assertThat(holder.acquiredAt()).isEqualTo(Instant.EPOCH.plusMillis(100));
		assertThat(holder.heldFor()).hasMillis(900);
		assertThat(holder.remaining()).hasMillis(23_000);
	}

	@Test
	void whatMayStillTakeEffectIsNotHandedOver() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		jvm.waiting("a");
		first.letExpire();
		assertThat(jvm.release(first, 1)).isFalse();
		assertThat(jvm.log).containsExactly("a asks", "released");
	}

	@Test
	void aStopReleasesWhoHoldsItNowAndNotWhoHandedItOver() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		HandOverHarness.Waiter a = jvm.waiting("a");
		jvm.release(first, 1);
		assertThat(first.abandon()).isFalse();
		assertThat(first.lossReason()).isNull();
		assertThat(a.held().lease().isHeld(at(1))).isTrue();
		assertThat(a.held().abandon()).isTrue();
	}

	@Test
	void whatTheStopTookIsNotHandedOver() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		jvm.waiting("a");
		first.abandon();
		assertThat(jvm.release(first, 1)).isFalse();
	}

	@Test
	void theLastOfATurnCleansUpWhatTheFirstLeftUnknown() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted(true);
		LockRequest shorter = LockRequest.builder("k").ttl(Duration.ofSeconds(10)).build();
		HandOverHarness.Waiter a = jvm.waiting("a", shorter);
		jvm.release(first, 1);
		assertThat(a.held().release(at(2)).answered(true).cleansUp()).isTrue();
		OrphanCleanup cleanup = a.held().cleanUp(at(2));
		long last = 0;
		for (long next = cleanup.first(at(2)); next >= 0; next = cleanup.answered(at(2))) {
			last = next;
		}
		assertThat(last).as("for as long as the claim of the grant lasts").isEqualTo(30_000_000_000L);
	}

	@Test
	void aProofIsOfTheGrantAndARefusedRenewalOfWhoHoldsNow() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		HandOverHarness.Waiter a = jvm.waiting("a");
		jvm.release(first, 1);
		assertThat(a.held().grantFence()).isEqualTo(100);
		assertThat(first.renewed(false, at(2), at(3))).isFalse();
		assertThat(jvm.log).containsExactly("a holds", "lost by a REFUSED");
	}

	private HeldLock granted() {
		StoredHolder holder = new StoredHolder("t", 7, 1, new LockOwner("app", "1", "host", 42, ""), Instant.EPOCH,
				Instant.EPOCH, ResolvedLockSettings.DEFAULT_TTL);
		Grant grant = new Grant(LockRequest.of("k"), new LeaseId("k", "t"), ResolvedLockSettings.of(LockSettings.NONE),
				holder, at(0), List.of(), 0, false);
		return new HeldLock(grant, at(1),
				(lost) -> this.told.add("client " + Optional.ofNullable(lost.lossReason()).orElseThrow()));
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
