package io.mongolock.faults.harness.history;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HistoryChecker}: what is wrong in a history is found, and nothing
 * else.
 */
class HistoryCheckerTests {

	private static final int SHARED = Integer.MAX_VALUE;

	private final TestHistory history = new TestHistory("order:1");

	@Test
	void sectionsOneAfterTheOtherAreClean() {
		HistoryReport report = this.history.section("a", 1, 0, 10)
			.section("b", 2, 10, 20)
			.section("a", 3, 25, 30)
			.counted(3, 3)
			.check();
		assertThat(report.violations()).isEmpty();
		assertThat(report.isClean()).isTrue();
		assertThat(report.sections()).isEqualTo(3);
		assertThat(report.keys()).isOne();
	}

	@Test
	void anEmptyHistoryIsClean() {
		assertThat(this.history.check().isClean()).isTrue();
		assertThat(this.history.check().toTable()).contains("No violations");
	}

	@Test
	void twoHoldersAtATimeOverlap() {
		HistoryReport report = this.history.section("a", 1, 0, 10).section("b", 2, 7, 20).check();
		assertThat(report.violations()).singleElement()
			.asString()
			.contains("overlap of 3.000 ms on 'order:1'",
					"fence 1 of a/main (told COMPLETED, not running for 0.000 ms)", "fence 2 of b/main");
		assertThat(report.overlapNanosByKey()).containsEntry("order:1", TestHistory.nanos(3));
		assertThat(report.overlaps()).singleElement().matches(Overlap::isSilent);
	}

	@Test
	void holdersOfDifferentKeysDoNotOverlap() {
		TestHistory other = new TestHistory("order:2").section("b", 1, 5, 15);
		this.history.section("a", 1, 0, 10);
		other.records().forEach(this.history::add);
		assertThat(this.history.check().isClean()).isTrue();
		assertThat(this.history.check().keys()).isEqualTo(2);
	}

	@Test
	void aHolderThatDiesWhileItGivesTheLockBackOverlapsNobody() {
		this.history.section("a", 1, 1, 0, 10, Outcome.DIED).died("a", 30).section("b", 2, 11, 20);
		assertThat(this.history.check().violations()).isEmpty();
		assertThat(this.history.check().open()).isZero();
	}

	@Test
	void overlapIsToldApartByWhetherTheHolderHadBeenTold() {
		HistoryReport report = this.history.section("a", 1, 1, 0, 20, Outcome.LOST)
			.section("b", 2, 10, 30)
			.lost(1, 14)
			.stalled("a", 8, 14)
			.check();
		assertThat(report.overlapNanos(false)).isEqualTo(TestHistory.nanos(4));
		assertThat(report.overlapNanos(true)).isEqualTo(TestHistory.nanos(6));
		assertThat(report.overlaps()).noneMatch(Overlap::isSilent);
		assertThat(report.violations()).isEmpty();
	}

	@Test
	void overlapOnlyAfterTheHolderWasToldIsAFigureAndNoViolation() {
		HistoryReport report = this.history.section("a", 1, 1, 0, 20, Outcome.LOST)
			.section("b", 2, 10, 30)
			.lost(1, 9)
			.check();
		assertThat(report.overlapNanos(true)).isEqualTo(TestHistory.nanos(10));
		assertThat(report.isClean()).isTrue();
	}

	@Test
	void overlapIsForgivenForAsLongAsTheHolderDidNotRun() {
		this.history.section("a", 1, 0, 10).section("b", 2, 7, 20).stalled("b", 0, 20).stalled("a", 3, 5);
		assertThat(this.history.check().violations()).singleElement().asString().contains("not running for 2.000 ms");
		assertThat(this.history.stalled("a", 4, 6).check().isClean()).isTrue();
	}

	@Test
	void aHolderThatIsToldThatItHoldsAfterTheNextGrantIsFoundWhateverStoodStill() {
		this.history.granted("a", 1, 1, 0, 1)
			.section("a", 1, 1, 1, 20, Outcome.LOST)
			.granted("b", 2, 1, 9, 10)
			.lost(1, 9)
			.stalled("a", 2, 30);
		assertThat(this.history.checked(1, 10).check().violations()).isEmpty();
		HistoryReport report = this.history.checked(1, 12).check();
		assertThat(report.checks()).isEqualTo(2);
		assertThat(report.violations()).singleElement()
			.isEqualTo("false answer: 'order:1', fence 1, was said to be held 2.000 ms after the grant of fence 2");
	}

	@Test
	void asManyAsTheLimitMayHoldTogether() {
		this.history.section("a", 1, 2, 0, 10, Outcome.COMPLETED).section("b", 2, 2, 5, 15, Outcome.COMPLETED);
		assertThat(this.history.check().isClean()).isTrue();
		HistoryReport report = this.history.section("c", 3, 2, 8, 20, Outcome.COMPLETED).check();
		assertThat(report.overlapNanos(false)).isEqualTo(TestHistory.nanos(2));
	}

	@Test
	void theSmallestLimitCounts() {
		HistoryReport report = this.history.section("reader", 1, SHARED, 0, 10, Outcome.COMPLETED)
			.section("reader2", 2, SHARED, 0, 10, Outcome.COMPLETED)
			.section("writer", 3, 1, 9, 12, Outcome.COMPLETED)
			.check();
		assertThat(report.overlapNanos(false)).isEqualTo(TestHistory.nanos(1));
	}

	@Test
	void aKilledHolderHeldUntilItsDeathAndTheNextOneTookOver() {
		HistoryReport report = this.history.entered("a", 1, 1, 0).died("a", 5).section("b", 2, 35, 40).check();
		assertThat(report.isClean()).isTrue();
		assertThat(report.open()).isZero();
		assertThat(report.timings().takenOver()).isEqualTo(spread(30));
	}

	@Test
	void aHolderKilledWhileAnotherHeldOverlaps() {
		HistoryReport report = this.history.entered("a", 1, 1, 0).died("a", 5).section("b", 2, 3, 40).check();
		assertThat(report.overlapNanos(false)).isEqualTo(TestHistory.nanos(2));
		assertThat(report.overlaps()).noneMatch(Overlap::isSilent);
	}

	@Test
	void aFenceThatFallsOrStaysIsFound() {
		HistoryReport report = this.history.section("a", 5, 0, 10)
			.section("b", 4, 10, 20)
			.section("c", 5, 20, 30)
			.check();
		assertThat(report.violations()).hasSize(2)
			.anyMatch((violation) -> violation.contains("did not rise: 4 to b/main after 5 to a/main"))
			.anyMatch((violation) -> violation.contains("did not rise: 5 to c/main after 5 to a/main"));
	}

	@Test
	void aHolderThatEntersAgainIsNotGrantedTwice() {
		assertThat(this.history.section("a", 1, 0, 4).section("a", 1, 5, 10).check().isClean()).isTrue();
	}

	@Test
	void grantsOfASemaphoreMayBeKnownInAnotherOrderThanTheyWereGiven() {
		this.history.granted("a", 2, 3, 0, 5).granted("b", 1, 3, 0, 6);
		assertThat(this.history.check().isClean()).isTrue();
		HistoryReport report = this.history.granted("c", 1, 3, 7, 8).check();
		assertThat(report.fences()).isNotEmpty();
	}

	@Test
	void aGrantAskedForAfterAHigherFenceWasKnownIsFoundInASemaphoreToo() {
		HistoryReport report = this.history.granted("a", 9, 3, 0, 5).granted("b", 8, 3, 6, 7).check();
		assertThat(report.fences()).singleElement().isEqualTo(new FenceFault("order:1", 8, "b/main", 9, "a/main"));
	}

	@Test
	void lostUpdatesAreFound() {
		HistoryReport report = this.history.counted(100, 98).check();
		assertThat(report.violations()).singleElement().asString().contains("stands at 98, not at 100");
		assertThat(report.toTable()).contains("2 in 1 counters");
	}

	@Test
	void orphansAreFoundUnlessTheirSectionGoesOn() {
		this.history.entered("a", 1, 1, 0).held(1);
		assertThat(this.history.check().isClean()).isTrue();
		assertThat(this.history.check().open()).isOne();
		this.history.held(2);
		assertThat(this.history.check().violations()).singleElement()
			.asString()
			.contains("'order:1' is still held, fence 2, by shop one");
	}

	@Test
	void aLockHeldByAKilledProcessIsAnOrphan() {
		assertThat(this.history.entered("a", 1, 1, 0).died("a", 1).held(1).check().orphans()).hasSize(1);
	}

	@Test
	void aLossToldAfterTheNextGrantIsFound() {
		this.history.section("a", 1, 1, 0, 9, Outcome.LOST).section("b", 2, 10, 20).lost(1, 12);
		assertThat(this.history.check().violations()).singleElement()
			.asString()
			.contains("told too late", "2.000 ms after the grant of fence 2");
		assertThat(this.history.stalled("a", 7, 8).check().isClean()).isFalse();
		assertThat(this.history.stalled("a", 7, 9).check().isClean()).isTrue();
	}

	@Test
	void aLossToldInTimeIsMeasured() {
		HistoryReport report = this.history.section("a", 1, 1, 0, 9, Outcome.LOST)
			.section("b", 2, 10, 20)
			.section("c", 3, 30, 40)
			.lost(1, 6)
			.lost(3, 39)
			.check();
		assertThat(report.isClean()).isTrue();
		assertThat(report.losses()).isEqualTo(2);
		assertThat(report.warnings()).singleElement().isEqualTo(new Warning("order:1", 1, 2, TestHistory.nanos(4), 0));
	}

	@Test
	void timesAreMeasured() {
		HistoryReport report = this.history.granted("a", 1, 1, 0, 2)
			.section("a", 1, 2, 10)
			.granted("b", 2, 1, 4, 13)
			.section("b", 2, 13, 20)
			.granted("c", 3, 1, 50, 51)
			.section("c", 3, 51, 60)
			.denied("d", 5, 9)
			.check();
		assertThat(report.isClean()).isTrue();
		assertThat(report.timings().granted()).isEqualTo(
				new Spread(3, TestHistory.nanos(1), TestHistory.nanos(2), TestHistory.nanos(9), TestHistory.nanos(9)));
		assertThat(report.timings().denied()).isEqualTo(spread(4));
		assertThat(report.timings().handedOver()).isEqualTo(spread(3));
		assertThat(report.timings().takenOver().count()).isZero();
	}

	@Test
	void theTableShowsFiguresAndViolations() {
		String table = this.history.granted("a", 1, 1, 0, 2)
			.section("a", 1, 2, 10)
			.granted("b", 2, 1, 3, 4)
			.section("b", 2, 4, 20)
			.check()
			.toTable();
		assertThat(table).contains("2 on 1 keys", "overlap before told", "6.000 ms, of which silent: 1 times",
				"claim to grant", "1 violations:");
	}

	@Test
	void theTableEndsSomewhere() {
		for (int i = 0; i < 60; i++) {
			this.history.held(i);
		}
		assertThat(this.history.check().toTable()).contains("60 violations:", "… and 10 more");
	}

	private static Spread spread(long millis) {
		long nanos = TestHistory.nanos(millis);
		return new Spread(1, nanos, nanos, nanos, nanos);
	}

}
