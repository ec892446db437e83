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
import io.mongolock.core.ReleaseDecision.Judgement;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HeldLock}.
 */
class HeldLockTests {

	private final List<String> heard = new ArrayList<>();

	private final HeldLock heldLock = granted();

	@Test
	void theLastToLetGoReleases() {
		assertThat(this.heldLock.state().add()).isTrue();
		assertThat(this.heldLock.state().remove()).isFalse();
		assertThat(this.heldLock.state().remove()).isTrue();
		assertThat(this.heldLock.state().add()).isFalse();
	}

	@Test
	void workUnderTheLockIsNotifiedOfALossBeforeTheClient() {
		this.heldLock.state().onLoss(() -> this.heard.add("worker"));
		assertThat(this.heldLock.renewed(false, at(1), at(2))).isFalse();
		assertThat(this.heard).containsExactly("worker", "client REFUSED");
	}

	@Test
	void aLossActionAddedAfterTheLossRunsAtOnceAndARemovedOneNotAtAll() {
		Runnable gone = () -> this.heard.add("gone");
		this.heldLock.state().onLoss(gone);
		this.heldLock.state().removeOnLoss(gone);
		assertThat(this.heldLock.lease().isHeld(at(24_000))).isFalse();
		this.heldLock.state().onLoss(() -> this.heard.add("late"));
		assertThat(this.heard).containsExactly("client DEADLINE", "late");
	}

	@Test
	void aRenewalThatFoundTheLeaseLengthensIt() {
		assertThat(this.heldLock.renewed(true, at(10_000), at(10_001))).isTrue();
		assertThat(this.heldLock.lease().isHeld(at(33_999))).isTrue();
	}

	@Test
	void aRenewalThatDidNotFindTheLeaseNeverLengthensItThoughItMaySayNothingYet() {
		this.heldLock.state().statementBegins();
		assertThat(this.heldLock.renewed(false, at(10_000), at(10_001))).isTrue();
		assertThat(this.heard).isEmpty();
		this.heldLock.state().statementOver();
		assertThat(this.heldLock.lease().isHeld(at(24_000))).isFalse();
	}

	@Test
	void aHoldThatIsLeftToExpireIsNotReleasedInTheStore() {
		this.heldLock.state().letExpire();
		ReleaseDecision releasing = this.heldLock.state().release(at(1));
		assertThat(releasing.asks()).isFalse();
		assertThat(releasing.end()).isEqualTo(new Judgement(ReleaseOutcome.LEFT_TO_EXPIRE, false));
		assertThat(this.heldLock.lease().isHeld(at(1))).isFalse();
	}

	@Test
	void aHoldThatIsLeftToExpireEndsAsLostAfterItsDeadline() {
		this.heldLock.state().letExpire();
		assertThat(this.heldLock.state().release(at(24_000)).end().outcome()).isEqualTo(ReleaseOutcome.LOST);
	}

	@Test
	void aStopReleasesOnceAndItsHolderHasLost() {
		assertThat(this.heldLock.state().cutOff(at(1))).isTrue();
		assertThat(this.heldLock.lossReason()).isEqualTo(LossReason.SHUTDOWN);
		assertThat(this.heldLock.state().cutOff(at(1))).isFalse();
		ReleaseDecision releasing = this.heldLock.state().release(at(1));
		assertThat(releasing.asks()).isFalse();
		assertThat(releasing.end()).isEqualTo(new Judgement(ReleaseOutcome.LOST, false));
	}

	@Test
	void aStopDoesNotReleaseWhatIsReleasedAlreadyOrLeftToExpire() {
		this.heldLock.state().release(at(1));
		assertThat(this.heldLock.state().cutOff(at(1))).isFalse();
		HeldLock other = granted();
		other.state().letExpire();
		assertThat(other.state().cutOff(at(1))).isFalse();
		assertThat(other.lossReason()).isEqualTo(LossReason.SHUTDOWN);
	}

	@Test
	void theRestOfTheMinimumHoldCountsFromTheAnswerAndIsRoundedUp() {
		HeldLock keeping = granted(Duration.ofSeconds(60), false);
		assertThat(keeping.state().keptFor(at(2_001))).hasSeconds(58);
		assertThat(keeping.state().keptFor(new ClockReading(2_000_999_999L, 2_000))).hasMillis(58_001);
		assertThat(keeping.state().keptFor(at(60_001))).isZero();
		assertThat(this.heldLock.state().keptFor(at(1))).isZero();
	}

	@Test
	void aReleaseBeforeTheMinimumHoldIsOverKeepsTheLock() {
		ReleaseDecision releasing = granted(Duration.ofSeconds(60), false).state().release(at(2_001));
		assertThat(releasing.keeps()).isTrue();
		assertThat(releasing.keptFor()).hasSeconds(58);
		assertThat(releasing.answered(true)).isEqualTo(new Judgement(ReleaseOutcome.RELEASED, false));
		assertThat(releasing.answered(false)).isEqualTo(new Judgement(ReleaseOutcome.LOST, false));
		assertThat(releasing.failed()).isEqualTo(new Judgement(ReleaseOutcome.RELEASED, true));
		assertThat(granted(Duration.ofSeconds(2), false).state().release(at(2_001)).keeps()).isFalse();
	}

	@Test
	void aLockNobodyWorkedUnderNeedNotStayTaken() {
		HeldLock keeping = granted(Duration.ofSeconds(60), false);
		keeping.state().waiveMinHold();
		assertThat(keeping.state().release(at(2)).keeps()).isFalse();
	}

	@Test
	void aHoldThatIsLeftToExpireStaysTakenForAWholeTtlIfItsMinimumHoldEndsSooner() {
		HeldLock brief = granted(Duration.ofSeconds(10), false);
		brief.state().letExpire();
		ReleaseDecision releasing = brief.state().release(at(2_001));
		assertThat(releasing.keptFor()).hasSeconds(30);
		assertThat(releasing.answered(true)).isEqualTo(new Judgement(ReleaseOutcome.LEFT_TO_EXPIRE, false));
		HeldLock longer = granted(Duration.ofSeconds(60), false);
		longer.state().letExpire();
		assertThat(longer.state().release(at(2_001)).keptFor()).hasSeconds(58);
	}

	@Test
	void afterTheDeadlineAKeptLockIsAnOverrunOnlyIfItsTokenCannotBeGrantedAgain() {
		ReleaseDecision sure = granted(Duration.ofSeconds(60), false).state().release(at(24_000));
		assertThat(sure.answered(true)).isEqualTo(new Judgement(ReleaseOutcome.EXPIRED_UNCONTESTED, false));
		ReleaseDecision unsure = granted(Duration.ofSeconds(60), true).state().release(at(24_000));
		assertThat(unsure.answered(true)).isEqualTo(new Judgement(ReleaseOutcome.LOST, true));
	}

	@Test
	void aStopKeepsWhatHasToStayTaken() {
		HeldLock keeping = granted(Duration.ofSeconds(60), false);
		keeping.state().letExpire();
		assertThat(keeping.state().cutOff(at(2_001))).isTrue();
		assertThat(keeping.state().keptFor(at(2_001))).hasSeconds(58);
	}

	@Test
	void aCleanUpKeepsTheLockUntilAnsweredAndReleasesItAfterwards() {
		OrphanCleanup cleanup = granted(Duration.ofSeconds(60), true).state().cleanUp(at(2_001));
		assertThat(cleanup.first(at(2_001))).isZero();
		assertThat(cleanup.keptFor(at(2_001))).hasSeconds(58);
		assertThat(cleanup.failed(at(2_001))).isEqualTo(1_000_000_000L);
		assertThat(cleanup.answered(at(3_001))).isEqualTo(57_000_000_000L);
		assertThat(cleanup.keptFor(at(60_001))).isZero();
		assertThat(cleanup.answered(at(60_001))).isEqualTo(937_500_000L);
		OrphanCleanup answered = granted(Duration.ofSeconds(60), false).state().cleanUp(at(2_001));
		assertThat(answered.answered(at(2_001))).isNegative();
	}

	@Test
	void itsHolderIsDescribedByWhatIsLeft() {
		assertThat(this.heldLock.toHolder(at(4_000)).remaining()).hasMillis(26_000);
		assertThat(this.heldLock.toHolder(at(4_000)).heldFor()).hasMillis(3_999);
	}

	@Test
	void aHolderByHandOverIsDescribedByItsOwnThreadFenceAndStart() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		HandOverHarness.Waiter a = jvm.waiting("a");
		jvm.release(first, 100);
		LockHolder holder = a.held().toHolder(at(1_000));
		assertThat(holder.owner().thread()).isEqualTo("a");
		assertThat(holder.fence()).isEqualTo(101);
		assertThat(holder.acquiredAt()).isEqualTo(Instant.EPOCH.plusMillis(100));
		assertThat(holder.heldFor()).hasMillis(900);
		assertThat(holder.remaining()).hasMillis(29_000);
	}

	@Test
	void aHoldThatIsLeftToExpireIsNotKeptIdle() {
		this.heldLock.state().letExpire();
		assertThat(this.heldLock.state().keepIdle(at(1))).isFalse();
		assertThat(this.heldLock.state().hasEnded()).as("runs out when it is released").isFalse();
	}

	@Test
	void aHoldThatIsLeftToExpireIsNotHandedOver() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		jvm.waiting("a");
		first.state().letExpire();
		assertThat(jvm.release(first, 1)).isFalse();
		assertThat(jvm.log).containsExactly("released", "a asks");
	}

	@Test
	void aStopReleasesWhoHoldsItNowAndNotWhoHandedItOver() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		HandOverHarness.Waiter a = jvm.waiting("a");
		jvm.release(first, 1);
		assertThat(first.state().cutOff(at(1))).isFalse();
		assertThat(first.lossReason()).isNull();
		assertThat(a.held().lease().isHeld(at(1))).isTrue();
		assertThat(a.held().state().cutOff(at(1))).isTrue();
	}

	@Test
	void aLockThatAStopCutsOffStaysTakenForItsMarginButNoLongerThanItsLease() {
		HeldLock held = new HandOverHarness(HandOver.DEFAULT).granted();
		assertThat(held.terms().margin()).isEqualTo(Duration.ofSeconds(6));
		assertThat(held.state().cutOff(at(1000))).isTrue();
		assertThat(held.state().keptFor(at(1000))).isEqualTo(Duration.ofSeconds(6));
		assertThat(held.state().keptFor(at(3000))).isEqualTo(Duration.ofSeconds(4));
		HeldLock late = new HandOverHarness(HandOver.DEFAULT).granted();
		assertThat(late.state().cutOff(at(28_000))).isTrue();
		assertThat(late.state().keptFor(at(28_000))).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void anUnusedLockIsReleasedByTheStop() {
		HeldLock held = new HandOverHarness(HandOver.DEFAULT).granted();
		held.state().waiveMinHold();
		assertThat(held.state().cutOff(at(1000))).isTrue();
		assertThat(held.state().keptFor(at(1000))).isZero();
	}

	@Test
	void aLockThatAStopHasCutOffIsNotHandedOver() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		jvm.waiting("a");
		first.state().cutOff(at(1));
		assertThat(jvm.release(first, 1)).isFalse();
	}

	@Test
	void theLastOfATurnCleansUpWhatTheFirstLeftUnknown() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted(true);
		LockRequest shorter = LockRequest.builder("k").ttl(Duration.ofSeconds(10)).build();
		HandOverHarness.Waiter a = jvm.waiting("a", shorter);
		jvm.release(first, 1);
		assertThat(a.held().state().release(at(2)).answered(true).cleansUp()).isTrue();
		OrphanCleanup cleanup = a.held().state().cleanUp(at(2));
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
		return granted(Duration.ZERO, false);
	}

	private HeldLock granted(Duration minHold, boolean unknown) {
		StoredHolder holder = new StoredHolder("t", 7, 1, new LockOwner("app", "1", "host", 42, ""), Instant.EPOCH,
				Instant.EPOCH, LockTerms.DEFAULT_TTL);
		Attempt attempt = new Attempt(LockRequest.of("k"), new LeaseId("k", "t"), 1, holder.owner(),
				LockTerms.of(LockSettings.builder().minHold(minHold).build()), at(0));
		return new HeldLock(attempt, new Grant(holder, 0, at(0), unknown, false, false, null), null, at(1),
				(lost) -> this.heard.add("client " + Optional.ofNullable(lost.lossReason()).orElseThrow()));
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
