package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Lease}: ttl 10 s, margin 2 s.
 */
class LeaseTests {

	private final List<LossReason> losses = new ArrayList<>();

	private final List<LossReason> nextLosses = new ArrayList<>();

	private final Lease lease = new Lease(new LeaseId("k", "t"), 1,
			LockTerms.of(LockSettings.builder().ttl(Duration.ofSeconds(10)).build()), at(0),
			(lease) -> this.losses.add(lease.lossReason()));

	@Test
	void isHeldUntilTtlLessMarginAfterTheRequestLeft() {
		assertThat(this.lease.isHeld(at(7_999))).isTrue();
		assertThat(this.lease.remaining(at(7_999))).hasMillis(1);
		assertThat(this.lease.isHeld(at(8_000))).isFalse();
		assertThat(this.losses).containsExactly(LossReason.DEADLINE);
	}

	@Test
	void whenTimePassesThenMoreOfTheLeaseIsUsedUntilARenewal() {
		assertThat(this.lease.used(at(2_000))).isEqualTo(0.25);
		assertThat(this.lease.used(at(9_000))).isEqualTo(1);
		this.lease.renewed(at(4_000), at(4_100));
		assertThat(this.lease.used(at(8_000))).isEqualTo(0.5);
	}

	@Test
	void onceLostStaysLostWhateverTheClocksSay() {
		assertThat(this.lease.isHeld(at(8_000))).isFalse();
		assertThat(this.lease.isHeld(at(1))).isFalse();
		assertThat(this.lease.remaining(at(1))).isZero();
		assertThat(this.lease.renewed(at(7_000), at(7_500))).isFalse();
		assertThat(this.losses).hasSize(1);
	}

	@Test
	void aRenewalThatIsConfirmedDuringALookCounts() {
		Object entry = Objects.requireNonNull(ReflectionTestUtils.getField(this.lease, "entry"));
		CompletableFuture<Boolean> looked = new CompletableFuture<>();
		Thread look = new Thread(() -> looked.complete(this.lease.isHeld(at(9_000))));
		synchronized (entry) {
			look.start();
			Awaitility.await().until(() -> look.getState() == Thread.State.BLOCKED);
			this.lease.renewed(at(7_000), at(7_500));
		}
		assertThat(looked).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
		assertThat(this.losses).isEmpty();
	}

	@Test
	void aRenewalCountsFromItsOwnRequest() {
		assertThat(this.lease.renewed(at(5_000), at(7_000))).isTrue();
		assertThat(this.lease.isHeld(at(12_999))).isTrue();
		assertThat(this.lease.isHeld(at(13_000))).isFalse();
	}

	@Test
	void theDescriptionOfALossOmitsAFailureBeforeTheLastRenewal() {
		this.lease.renewalFailed(new IllegalStateException("no answer"));
		this.lease.renewed(at(5_000), at(5_001));
		assertThat(this.lease.isHeld(at(20_000))).isFalse();
		assertThat(LockExceptions.describeLoss(this.lease, LossReason.DEADLINE)).doesNotContain("no answer");
	}

	@Test
	void aLossByAStepOfTheWallClockSaysSoAndByHowMuch() {
		this.lease.renewed(at(1_000), at(1_001));
		assertThat(this.lease.isHeld(new ClockReading(at(3_000).nanos(), at(63_000).millis()))).isFalse();
		assertThat(loss())
			.contains("the wall clock of this machine stepped ahead by 60000ms, or only the wall clock went on while "
					+ "the machine was suspended", "ttl - margin = 10000ms - 2000ms = 8000ms")
			.doesNotContain("stood still");
	}

	@Test
	void aWallClockThatIsOnlySlewedIsNoReasonOfALoss() {
		assertThat(this.lease.isHeld(new ClockReading(at(7_500).nanos(), at(8_000).millis()))).isFalse();
		assertThat(loss())
			.endsWith("was lost: no renewal was confirmed within ttl - margin = 10000ms - 2000ms = 8000ms");
	}

	@Test
	void aWallClockThatSteppedIsNoReasonWhereTheOtherClockHasEndedTheLease() {
		assertThat(this.lease.isHeld(new ClockReading(at(8_000).nanos(), at(68_000).millis()))).isFalse();
		assertThat(loss()).contains("was lost: no renewal was confirmed").doesNotContain("wall clock");
	}

	@Test
	void aLossThatIsNoticedLateThoughNoRenewalFailedSaysThatThisJvmStoodStill() {
		assertThat(this.lease.isHeld(at(30_000))).isFalse();
		assertThat(loss())
			.endsWith("8000ms, and this was noticed 22000ms late, because this JVM or its machine stood still");
	}

	@Test
	void aLossAfterAFailedRenewalSaysNothingOfAJvmThatStoodStill() {
		Lease failed = next();
		assertThat(this.lease.handOver(failed, at(1))).isTrue();
		failed.renewalFailed(new IllegalStateException("no answer"));
		assertThat(failed.isHeld(at(30_000))).isFalse();
		assertThat(LockExceptions.describeLoss(failed, LossReason.DEADLINE)).contains("no answer")
			.doesNotContain("stood still");
	}

	@Test
	void aLossThatIsNoticedWithinASecondSaysNothingOfAJvmThatStoodStill() {
		assertThat(this.lease.isHeld(at(9_000))).isFalse();
		assertThat(loss()).doesNotContain("stood still");
	}

	private String loss() {
		return LockExceptions.describeLoss(this.lease, LossReason.DEADLINE);
	}

	@Test
	void aRenewalConfirmedAfterTheDeadlineIsNoSuccess() {
		assertThat(this.lease.renewed(at(7_000), at(8_000))).isFalse();
		assertThat(this.losses).containsExactly(LossReason.DEADLINE);
	}

	@Test
	void anOlderRequestConfirmedLaterDoesNotShortenTheLease() {
		this.lease.renewed(at(5_000), at(5_001));
		assertThat(this.lease.renewed(at(3_000), at(5_002))).isTrue();
		assertThat(this.lease.isHeld(at(12_999))).isTrue();
	}

	@Test
	void aSuspendedMachineWhoseMonotonicClockStoodStillHasLostTheLease() {
		ClockReading awake = new ClockReading(at(100).nanos(), at(600_000).millis());
		assertThat(this.lease.isHeld(awake)).isFalse();
		assertThat(this.lease.remaining(awake)).isZero();
	}

	@Test
	void aWallClockThatStepsBackDoesNotLengthenTheLease() {
		ClockReading steppedBack = new ClockReading(at(8_000).nanos(), at(-3_600_000).millis());
		assertThat(this.lease.isHeld(steppedBack)).isFalse();
	}

	@Test
	void aRefusedRenewalLosesTheLeaseOnce() {
		this.lease.lose(LossReason.REFUSED);
		this.lease.lose(LossReason.SHUTDOWN);
		assertThat(this.lease.isHeld(at(1))).isFalse();
		assertThat(this.losses).containsExactly(LossReason.REFUSED);
	}

	@Test
	void aNoteEndsWithItsHoldAndIsThenTakenBack() {
		assertThat(this.lease.note()).isNull();
		this.lease.note("charging card");
		assertThat(this.lease.note()).isEqualTo("charging card");
		Lease next = next();
		this.lease.handOver(next, at(1_000));
		assertThat(next.note()).as("the store may have the note of the one before").isEmpty();
		this.lease.note("late");
		assertThat(next.note()).as("of the one who holds it now").isEmpty();
	}

	@Test
	void withoutANoteThereIsNoneToTakeBack() {
		Lease next = next();
		this.lease.handOver(next, at(1_000));
		assertThat(next.note()).isNull();
	}

	@Test
	void aReleasedLeaseIsNeitherHeldNorLostAgain() {
		assertThat(this.lease.release(at(1))).isTrue();
		assertThat(this.lease.release(at(1))).isFalse();
		this.lease.lose(LossReason.SHUTDOWN);
		assertThat(this.lease.isHeld(at(1))).isFalse();
		assertThat(this.lease.isHeld(at(9_000))).isFalse();
		assertThat(this.losses).isEmpty();
	}

	@Test
	void aReleaseAfterTheDeadlineIsTold() {
		assertThat(this.lease.release(at(8_000))).isFalse();
		assertThat(this.losses).containsExactly(LossReason.DEADLINE);
	}

	@Test
	void monotonicTimeMayOverflow() {
		long end = Long.MAX_VALUE - 1_000_000;
		Lease lease = new Lease(new LeaseId("k", "t"), 1, this.lease.terms(), new ClockReading(end, 0), (lost) -> {
		});
		assertThat(lease.isHeld(new ClockReading(end + 2_000_000, 2))).isTrue();
		assertThat(lease.isHeld(new ClockReading(end + 8_000_000_000L, 8_000))).isFalse();
	}

	@Test
	void handedOverItCountsFromTheSameRenewalForTheOneWhoHoldsItNow() {
		this.lease.renewed(at(1_000), at(1_001));
		Lease next = next();
		assertThat(next.isHeld(at(2_000))).as("not yet").isFalse();
		assertThat(this.lease.handOver(next, at(2_000))).isTrue();
		assertThat(this.lease.isHeld(at(2_000))).isFalse();
		assertThat(next.isHeld(at(8_999))).isTrue();
		assertThat(next.isHeld(at(9_000))).isFalse();
		assertThat(this.losses).as("of the first").isEmpty();
		assertThat(this.nextLosses).containsExactly(LossReason.DEADLINE);
	}

	@Test
	void itIsNotHandedOverAfterItsDeadlineNorTwiceNorOnceReleased() {
		assertThat(this.lease.handOver(next(), at(8_000))).isFalse();
		Lease next = next();
		assertThat(this.lease.handOver(next, at(7_999))).isTrue();
		assertThat(this.lease.handOver(next(), at(7_999))).isFalse();
		assertThat(next.release(at(7_999))).isTrue();
		assertThat(next.handOver(next(), at(7_999))).isFalse();
	}

	@Test
	void anIdleLeaseIsHeldByNobodyAndTakenOnceBeforeItsDeadline() {
		assertThat(this.lease.keepIdle(at(1_000))).isTrue();
		assertThat(this.lease.isHeld(at(1_000))).isFalse();
		assertThat(this.lease.remaining(at(1_000))).isZero();
		assertThat(this.lease.release(at(1_000))).isFalse();
		assertThat(this.lease.handOver(next(), at(8_000))).as("too late").isFalse();
		Lease next = next();
		assertThat(this.lease.handOver(next, at(7_999))).isTrue();
		assertThat(this.lease.handOver(next(), at(7_999))).as("once").isFalse();
		assertThat(next.isHeld(at(7_999))).isTrue();
		assertThat(this.lease.keepIdle(at(2_000))).isFalse();
		assertThat(this.losses).isEmpty();
	}

	@Test
	void aLeaseThatRanOutOrWasLostIsNeverIdle() {
		assertThat(this.lease.keepIdle(at(8_000))).isFalse();
		this.lease.gone();
		assertThat(this.lease.keepIdle(at(1_000))).isFalse();
	}

	@Test
	void aRefusalReachesWhoHoldsItByThen() {
		Lease next = next();
		this.lease.handOver(next, at(1_000));
		this.lease.gone();
		assertThat(next.isHeld(at(1_000))).isFalse();
		assertThat(this.losses).isEmpty();
		assertThat(this.nextLosses).containsExactly(LossReason.REFUSED);
	}

	@Test
	void aRefusalAfterTheReleaseIsNoLoss() {
		this.lease.release(at(1_000));
		this.lease.gone();
		assertThat(this.lease.lossReason()).isNull();
	}

	@Test
	void aLeaseThatRanOutIsHeldAgainOnceItIsFoundAndARefusedOneIsNot() {
		assertThat(this.lease.isHeld(at(8_000))).isFalse();
		assertThat(this.lease.found(at(8_500), at(8_501))).isTrue();
		this.lease.gone();
		assertThat(this.lease.found(at(9_000), at(9_001))).isFalse();
		assertThat(this.losses).containsExactly(LossReason.DEADLINE, LossReason.REFUSED);
	}

	@Test
	void aRenewalThatThePredecessorAskedForServesWhoHoldsItByThen() {
		Lease next = next();
		this.lease.handOver(next, at(1_000));
		assertThat(this.lease.renewed(at(900), at(1_001))).as("the predecessor").isFalse();
		assertThat(next.isHeld(at(8_899))).isTrue();
		assertThat(next.isHeld(at(8_900))).isFalse();
	}

	@Test
	void aRenewalThatThePredecessorAskedForAndCameTooLateIsNoSuccess() {
		Lease next = next();
		this.lease.handOver(next, at(1_000));
		this.lease.renewed(at(7_000), at(8_000));
		assertThat(next.isHeld(at(8_000))).isFalse();
	}

	private Lease next() {
		return this.lease.next(2, this.lease.terms(), (lost) -> this.nextLosses.add(lost.lossReason()));
	}

	static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, 1_700_000_000_000L + millis);
	}

}
