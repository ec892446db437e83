package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RenewalSchedule}: ttl 30 s, margin 6 s, and unless a test says
 * otherwise a renewal every 8 s.
 */
class RenewalScheduleTests {

	private static final long MILLI = 1_000_000;

	private static final LockTerms EVERY_EIGHT = LockTerms
		.of(LockSettings.builder().renewInterval(Duration.ofSeconds(8)).build());

	private static final LockTerms BY_NUMBER = LockTerms.of(LockSettings.NONE);

	private final RenewalSchedule schedule = new RenewalSchedule((bound) -> bound - 1);

	private final List<Lease> lost = new ArrayList<>();

	@Test
	void nothingIsDueBeforeTheInterval() {
		assertThat(this.schedule.add(lease("a", 0), at(0))).isEqualTo(8_000 * MILLI);
		assertThat(this.schedule.due(at(7_999))).isEmpty();
		assertThat(this.schedule.due(at(8_000))).hasSize(1);
	}

	@Test
	void aRenewalUnderwayIsNotSentTwice() {
		this.schedule.add(lease("a", 0), at(0));
		this.schedule.due(at(8_000));
		assertThat(this.schedule.due(at(9_000))).isEmpty();
	}

	@Test
	void aConfirmedRenewalIsDueAgainOneIntervalAfterItsRequest() {
		Lease lease = lease("a", 0);
		this.schedule.add(lease, at(0));
		this.schedule.answered(this.schedule.due(at(8_000)).get(0), RenewalAnswer.of(1), at(8_000), at(9_000));
		assertThat(this.schedule.due(at(15_999))).isEmpty();
		assertThat(this.schedule.due(at(16_000))).hasSize(1);
		assertThat(lease.isHeld(at(31_999))).isTrue();
	}

	@Test
	void leasesBegunAtDifferentTimesSoonShareOneRequest() {
		for (int i = 0; i < 1_000; i++) {
			this.schedule.add(lease("k" + i, i * 8L), at(i * 8L));
		}
		int requests = 0;
		for (long now = 8_000; now < 40_000; now += Math.max(1, this.schedule.nextIn(at(now)) / MILLI)) {
			for (RenewalBatch batch : this.schedule.due(at(now))) {
				requests++;
				this.schedule.answered(batch, RenewalAnswer.of(batch.leases().size()), at(now), at(now));
			}
		}
		assertThat(this.lost).isEmpty();
		assertThat(requests).as("requests in four intervals").isLessThanOrEqualTo(4 * 5);
	}

	@Test
	void aLeaseThatIsNotToBeRenewedNowStillRunsOut() {
		Lease lease = lease("a", 0);
		this.schedule.add(lease, at(0));
		assertThat(this.schedule.watch(lease, at(0))).isEqualTo(Duration.ofSeconds(24).toNanos());
		assertThat(this.schedule.due(at(23_999))).isEmpty();
		assertThat(this.schedule.due(at(24_000))).isEmpty();
		assertThat(this.lost).containsExactly(lease);
	}

	@Test
	void aLeaseOfWhichARefusalSaysNothingStillRunsOut() {
		Lease lease = lease("a", 0);
		this.schedule.add(lease, at(0));
		RenewalBatch batch = this.schedule.due(at(8_000)).get(0);
		lease.suspend(true);
		this.schedule.watch(lease, at(8_001));
		this.schedule.answered(batch, RenewalAnswer.of(0), at(8_000), at(8_002));
		assertThat(this.lost).isEmpty();
		this.schedule.due(at(24_000));
		assertThat(this.lost).containsExactly(lease);
	}

	@Test
	void whenALossThrowsThenTheSlotOfItsRenewalIsFree() {
		for (int i = 0; i < RenewalSchedule.MAX_REQUESTS; i++) {
			this.schedule.add(new Lease(new LeaseId("k" + i, "a"), 1, EVERY_EIGHT, at(0), (lease) -> {
				throw new IllegalStateException("says the test");
			}), at(0));
			RenewalBatch batch = this.schedule.due(at(8_000)).get(0);
			assertThatIllegalStateException()
				.isThrownBy(() -> this.schedule.answered(batch, RenewalAnswer.of(0), at(8_000), at(8_001)));
		}
		this.schedule.add(lease("free", 0), at(0));
		assertThat(this.schedule.due(at(8_002))).hasSize(1);
	}

	@Test
	void noBatchIsLargerThanTheLargest() {
		for (int i = 0; i < 2 * Division.MAX_BATCH + 1; i++) {
			this.schedule.add(lease("k" + i, 0), at(0));
		}
		assertThat(this.schedule.due(at(8_000))).extracting((batch) -> batch.leases().size())
			.containsExactly(Division.MAX_BATCH, Division.MAX_BATCH, 1);
	}

	@Test
	void theOneMissingLeaseOfABatchIsFoundAndTheOthersAreKept() {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			leases.add(lease("k" + i, 0));
			this.schedule.add(leases.get(i), at(0));
		}
		Lease gone = leases.get(37);
		int requests = 0;
		while (this.schedule.nextIn(at(8_000)) <= 0) {
			for (RenewalBatch batch : this.schedule.due(at(8_000))) {
				requests++;
				int found = batch.leases().size() - (batch.leases().contains(gone) ? 1 : 0);
				this.schedule.answered(batch, RenewalAnswer.of(found), at(8_000), at(8_000));
			}
		}
		assertThat(this.lost).containsExactly(gone);
		assertThat(gone.lossReason()).isEqualTo(LossReason.REFUSED);
		assertThat(requests).isLessThan(20);
		leases.remove(gone);
		assertThat(leases).allMatch((lease) -> lease.isHeld(at(31_999)));
	}

	@Test
	void aFailureIsNewsOnceForALeaseAndOnceForItAloneUntilItIsConfirmed() {
		this.schedule.add(lease("a", 0), at(0));
		this.schedule.add(lease("b", 0), at(0));
		RenewalBatch first = this.schedule.due(at(8_000)).get(0);
		assertThat(first.leases()).hasSize(2);
		assertThat(first.isNews()).isTrue();
		this.schedule.failed(first, at(8_001));
		RenewalBatch again = this.schedule.due(at(9_001)).get(0);
		assertThat(again.leases()).hasSize(2);
		assertThat(again.isNews()).isFalse();
		this.schedule.failed(again, at(11_000)); // which hung, so each is asked for alone
		List<RenewalBatch> alone = this.schedule.due(at(11_000));
		assertThat(alone).hasSize(2).allMatch(RenewalBatch::isNews);
		this.schedule.failed(alone.get(0), at(11_001));
		this.schedule.answered(alone.get(1), RenewalAnswer.of(1), at(11_000), at(11_001));
		assertThat(this.schedule.due(at(13_001))).singleElement().matches((batch) -> !batch.isNews());
		assertThat(this.schedule.due(at(19_000))).singleElement().matches(RenewalBatch::isNews);
	}

	@Test
	void ofThousandsOfWhichNoneIsThereEachBatchIsAskedForOnce() {
		for (int i = 0; i < 3_000; i++) {
			this.schedule.add(lease("k" + i, 0), at(0));
		}
		int requests = 0;
		while (requests < 100 && this.schedule.nextIn(at(8_000)) <= 0) {
			for (RenewalBatch batch : this.schedule.due(at(8_000))) {
				requests++;
				this.schedule.answered(batch, RenewalAnswer.of(0), at(8_000), at(8_000));
			}
		}
		assertThat(this.lost).hasSize(3_000).allMatch((lease) -> lease.lossReason() == LossReason.REFUSED);
		assertThat(requests).isEqualTo(3);
	}

	@Test
	void aLeaseReleasedWhileItsBatchIsUnderwayIsNotTakenForLost() {
		Lease stays = lease("a", 0);
		Lease released = lease("b", 0);
		this.schedule.add(stays, at(0));
		this.schedule.add(released, at(0));
		RenewalBatch batch = this.schedule.due(at(8_000)).get(0);
		released.release(at(8_001));
		this.schedule.remove(released);
		this.schedule.answered(batch, RenewalAnswer.of(1), at(8_000), at(8_002));
		List<RenewalBatch> again = this.schedule.due(at(8_002));
		assertThat(again).extracting(RenewalBatch::leases).containsExactly(List.of(stays));
		this.schedule.answered(again.get(0), RenewalAnswer.of(1), at(8_002), at(8_003));
		assertThat(this.lost).isEmpty();
		assertThat(stays.isHeld(at(32_001))).isTrue();
	}

	@Test
	void aFailedRenewalIsTriedAgainSoonAndNotCountedAsRenewed() {
		Lease lease = lease("a", 0);
		this.schedule.add(lease, at(0));
		this.schedule.failed(this.schedule.due(at(8_000)).get(0), at(8_010));
		assertThat(this.schedule.due(at(8_999))).isEmpty();
		assertThat(this.schedule.due(at(9_000))).hasSize(1);
		assertThat(lease.isHeld(at(23_999))).isTrue();
		assertThat(lease.isHeld(at(24_000))).isFalse();
	}

	@Test
	void aRenewalThatTimedOutIsTriedAgainAtOnce() {
		this.schedule.add(lease("a", 0), at(0));
		this.schedule.failed(this.schedule.due(at(8_000)).get(0), at(11_000));
		assertThat(this.schedule.nextIn(at(11_000))).isLessThanOrEqualTo(0);
		assertThat(this.schedule.due(at(11_000))).hasSize(1);
	}

	@Test
	void aRenewalThatHangsAtTheOldPrimaryIsSentToTheNextAtOnce() {
		Lease lease = lease("a", 0);
		this.schedule.add(lease, at(0));
		this.schedule.add(lease("fresh", 4_500), at(4_500));
		RenewalBatch hanging = this.schedule.due(at(8_000)).get(0);
		this.schedule.primaryChanged(at(8_500));
		RenewalBatch again = this.schedule.due(at(8_500)).get(0);
		assertThat(again.leases()).contains(lease);
		this.schedule.answered(again, RenewalAnswer.of(again.leases().size()), at(8_500), at(8_501));
		this.schedule.failed(hanging, at(11_000));
		assertThat(this.schedule.due(at(16_499))).isEmpty();
		assertThat(lease.isHeld(at(32_499))).isTrue();
	}

	@Test
	void renewalsDividedForTheOldPrimaryAreSentToTheNextTogether() {
		for (int i = 0; i < 100; i++) {
			this.schedule.add(lease("k" + i, 0), at(0));
		}
		this.schedule.due(at(8_000));
		assertThat(this.schedule.due(at(9_500))).as("parts that hang, too").hasSize(12);
		this.schedule.primaryChanged(at(9_600));
		assertThat(this.schedule.due(at(9_600))).extracting((batch) -> batch.leases().size()).containsExactly(100);
		assertThat(this.schedule.due(at(9_601))).isEmpty();
	}

	@Test
	void anotherPrimaryIsNotAskedForWhatIsNotDue() {
		this.schedule.add(lease("a", 0), at(0));
		this.schedule.primaryChanged(at(1_000));
		assertThat(this.schedule.due(at(1_000))).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "1, 1000", "50, 1000", "51, 1020", "100, 2000", "200, 4000", "400, 8000", "401, 8000", "3000, 8000" })
	void theMoreLeasesThereAreTheLessOftenEachIsRenewed(int leases, long interval) {
		for (int i = 0; i < leases; i++) {
			this.schedule.add(lease("k" + i, 0, BY_NUMBER), at(0));
		}
		assertThat(this.schedule.nextIn(at(interval - 1))).isEqualTo(MILLI);
		assertThat(this.schedule.due(at(interval - 1))).isEmpty();
		assertThat(this.schedule.due(at(interval))).isNotEmpty();
	}

	@Test
	void aLeaseIsRenewedSoonerOnceOthersAreGone() {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			leases.add(lease("k" + i, 0, BY_NUMBER));
			this.schedule.add(leases.get(i), at(0));
		}
		this.schedule.remove(leases.get(0));
		this.schedule.remove(leases.get(0));
		this.schedule.add(leases.get(1), at(0));
		assertThat(this.schedule.nextIn(at(5_000))).as("299 leases").isEqualTo(980 * MILLI);
		leases.subList(1, 299).forEach(this.schedule::remove);
		assertThat(this.schedule.due(at(5_000))).singleElement()
			.satisfies((batch) -> assertThat(batch.leases()).containsExactly(leases.get(299)));
	}

	@Test
	void leasesThatAreLostOrOnlyWatchedDoNotLengthenTheIntervalOfOthers() {
		for (int i = 0; i < 300; i++) {
			Lease lease = lease("k" + i, 0, BY_NUMBER);
			this.schedule.add(lease, at(0));
			if (i < 150) {
				this.schedule.watch(lease, at(0));
			}
			else {
				lease.lose(LossReason.SHUTDOWN);
			}
		}
		this.schedule.due(at(0));
		assertThat(this.schedule.add(lease("a", 0, BY_NUMBER), at(0))).isEqualTo(1_000 * MILLI);
	}

	@Test
	void anIntervalThatIsSetIsTheSameForAnyNumber() {
		LockTerms everySecond = LockTerms.of(LockSettings.builder().renewInterval(Duration.ofSeconds(1)).build());
		for (int i = 0; i < 500; i++) {
			this.schedule.add(lease("k" + i, 0, BY_NUMBER), at(0));
		}
		assertThat(this.schedule.add(lease("often", 0, everySecond), at(0))).isEqualTo(1_000 * MILLI);
		assertThat(this.schedule.add(lease("by number", 0, BY_NUMBER), at(0))).isEqualTo(8_000 * MILLI);
	}

	@Test
	void noLeaseIsRenewedLaterThanAThirdOfWhatItReliesOn() {
		LockTerms brief = LockTerms.of(LockSettings.builder().ttl(Duration.ofSeconds(5)).build());
		for (int i = 0; i < 1_000; i++) {
			this.schedule.add(lease("k" + i, 0, BY_NUMBER), at(0));
		}
		assertThat(this.schedule.add(lease("brief", 0, brief), at(0))).isEqualTo(1_333 * MILLI);
	}

	@Test
	void aLeaseWhoseRenewalHangsIsLostByItsDeadline() {
		this.schedule.add(lease("a", 0), at(0));
		this.schedule.due(at(8_000));
		assertThat(this.schedule.nextIn(at(23_999))).isEqualTo(MILLI);
		this.schedule.due(at(24_000));
		assertThat(this.lost).hasSize(1);
		assertThat(this.lost.get(0).lossReason()).isEqualTo(LossReason.DEADLINE);
	}

	@Test
	void theFirstRenewalIsCountedFromTheRequest() {
		assertThat(this.schedule.add(lease("a", 0), at(5_000))).isEqualTo(3_000 * MILLI);
		assertThat(this.schedule.due(at(7_999))).isEmpty();
		assertThat(this.schedule.due(at(8_000))).hasSize(1);
	}

	@Test
	void aLeaseWhoseAnswerTookLongerThanTheIntervalIsRenewedAtOnce() {
		assertThat(this.schedule.add(lease("a", 0), at(23_500))).isNegative();
		assertThat(this.schedule.due(at(23_500))).hasSize(1);
	}

	@Test
	void aBatchHoldsLeasesOfLikeTimeoutsAndKeepsToTheShortest() {
		LockTerms brief = LockTerms.of(LockSettings.builder().ttl(Duration.ofSeconds(1)).build());
		LockTerms alike = LockTerms.of(LockSettings.builder().operationTimeout(Duration.ofMillis(2_500)).build());
		this.schedule.add(lease("a", 0), at(0));
		this.schedule.add(lease("b", 0, alike), at(0));
		this.schedule.add(lease("c", 7_500, brief), at(7_500));
		this.schedule.add(lease("d", 7_500, brief), at(7_500));
		List<RenewalBatch> batches = this.schedule.due(at(8_000));
		assertThat(batches).extracting((batch) -> batch.leases().stream().map((lease) -> lease.id().key()).toList())
			.containsExactly(List.of("c", "d"), List.of("a", "b"));
		assertThat(batches).extracting(RenewalBatch::timeout)
			.containsExactly(brief.operationTimeout(), alike.operationTimeout());
	}

	@Test
	void aBatchThatHangsIsAskedForInPartsBesideItAndTheFirstAnswerCounts() {
		for (int i = 0; i < 160; i++) {
			this.schedule.add(lease("k" + i, 0), at(0));
		}
		RenewalBatch hanging = this.schedule.due(at(8_000)).get(0);
		assertThat(this.schedule.nextIn(at(9_000))).as("half the timeout").isEqualTo(500 * MILLI);
		List<RenewalBatch> parts = this.schedule.due(at(9_500));
		assertThat(parts).hasSize(12).allMatch((part) -> part.leases().size() == 10);
		this.schedule.answered(hanging, RenewalAnswer.of(160), at(8_000), at(10_000));
		assertThat(this.schedule.due(at(10_000))).isEmpty();
		parts.forEach((part) -> this.schedule.failed(part, at(12_500)));
		assertThat(this.schedule.due(at(15_999))).isEmpty();
		assertThat(this.schedule.due(at(16_000))).extracting((batch) -> batch.leases().size()).containsExactly(160);
	}

	@Test
	void leasesOfLikeUrgencyAreRenewedInTheSameOrderInEveryRun() {
		for (String key : List.of("d", "h", "a", "g", "c", "f", "b", "e")) {
			this.schedule.add(lease(key, 0), at(0));
		}
		assertThat(this.schedule.due(at(8_000)).get(0).leases()).extracting((lease) -> lease.id().key())
			.containsExactly("a", "b", "c", "d", "e", "f", "g", "h");
	}

	@Test
	void aRequestThatFailsAtOnceIsTriedAgainWhole() {
		for (int i = 0; i < 160; i++) {
			this.schedule.add(lease("k" + i, 0), at(0));
		}
		this.schedule.failed(this.schedule.due(at(8_000)).get(0), at(8_010));
		assertThat(this.schedule.due(at(8_500))).isEmpty();
		assertThat(this.schedule.due(at(9_010))).extracting((batch) -> batch.leases().size()).containsExactly(160);
	}

	@Test
	void requestsThatHangLeavePlacesToLeasesThatDidNot() {
		for (int i = 0; i < 100; i++) {
			this.schedule.add(lease("k" + i, 0), at(0));
		}
		this.schedule.due(at(8_000));
		this.schedule.due(at(9_500));
		this.schedule.add(lease("fresh", 2_000), at(2_000));
		assertThat(this.schedule.due(at(10_000))).extracting((batch) -> batch.leases().get(0).id().key())
			.containsExactly("fresh");
	}

	@Test
	void aLeaseThatIsNotRenewedIsOnlyWatched() {
		LockTerms terms = LockTerms.of(LockSettings.builder().autoRenew(false).build());
		this.schedule.add(new Lease(new LeaseId("a", "a"), 1, terms, at(0), this.lost::add), at(0));
		assertThat(this.schedule.due(at(20_000))).isEmpty();
		this.schedule.due(at(24_000));
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aSuspendedMachineNoticesAtTheNextLookWhichIsSoon() {
		this.schedule.add(lease("a", 0), at(0));
		assertThat(this.schedule.nextIn(at(10))).isLessThanOrEqualTo(1_000 * MILLI);
		this.schedule.due(new ClockReading(20 * MILLI, at(600_000).millis()));
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void withoutLeasesThereIsNothingToDo() {
		Lease lease = lease("a", 0);
		this.schedule.add(lease, at(0));
		this.schedule.remove(lease);
		assertThat(this.schedule.nextIn(at(0))).isEqualTo(ClockReading.NEVER);
		assertThat(this.schedule.due(at(30_000))).isEmpty();
		assertThat(this.lost).isEmpty();
	}

	private Lease lease(String key, long begun) {
		return lease(key, begun, EVERY_EIGHT);
	}

	private Lease lease(String key, long begun, LockTerms terms) {
		return new Lease(new LeaseId(key, key), 1, terms, at(begun), this.lost::add);
	}

	private static ClockReading at(long millis) {
		return LeaseTests.at(millis);
	}

}
