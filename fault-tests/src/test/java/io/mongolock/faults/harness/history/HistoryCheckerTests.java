package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HistoryChecker}: what is wrong in a history is found, and nothing
 * else. Times are milliseconds.
 */
class HistoryCheckerTests {

	private static final String KEY = "order:1";

	private final List<HistoryRecord> history = new ArrayList<>();

	@Test
	void sectionsOneAfterTheOtherAreClean() {
		section("a", 1, 0, 10);
		section("b", 2, 10, 20);
		section("a", 3, 25, 30);
		this.history.add(new Counted(KEY, 3, 3));
		assertThat(violations()).isEmpty();
		assertThat(check().sections()).isEqualTo(3);
	}

	@Test
	void anEmptyHistoryIsClean() {
		assertThat(violations()).isEmpty();
	}

	@Test
	void twoHoldersAtATimeOverlap() {
		section("a", 1, 0, 10);
		section("b", 2, 7, 20);
		assertThat(violations()).singleElement()
			.asString()
			.contains("overlap of 3.000 ms on 'order:1'",
					"fence 1 of a/main (told COMPLETED, not running for 0.000 ms)", "fence 2 of b/main");
		assertThat(check().overlaps()).singleElement().matches(Overlap::isSilent);
		assertThat(check().toTable()).contains("sections 2", "of which silent 1 times", "1 violations", "overlap of");
	}

	@Test
	void aLongSectionOverlapsAllThatBeginInIt() {
		section("a", 1, 0, 100);
		section("b", 2, 10, 20);
		section("b", 3, 30, 40);
		assertThat(violations()).hasSize(2);
		assertThat(check().overlapNanos(false)).isEqualTo(nanos(20));
	}

	@Test
	void holdersOfDifferentKeysDoNotOverlap() {
		section("a", 1, 0, 10);
		left(new Entered("order:2", 1, "b", "main", nanos(5), nanos(5)), Outcome.COMPLETED, 15);
		assertThat(violations()).isEmpty();
	}

	@Test
	void aHolderThatDiesWhileItGivesTheLockBackOverlapsNobody() {
		left(entered("a", 1, 0), Outcome.DIED, 10);
		this.history.add(new Died("a", nanos(30)));
		section("b", 2, 11, 20);
		assertThat(violations()).isEmpty();
	}

	@Test
	void whatTheCallerIsToldCountsAndNotThatTheWorkHadEnded() {
		Entered section = entered("a", 1, 0);
		left(section, Outcome.DIED, 10);
		left(section, Outcome.COMPLETED, 10);
		section("b", 2, 9, 20);
		assertThat(violations()).singleElement().asString().contains("told COMPLETED");
	}

	@Test
	void overlapIsToldApartByWhetherTheHolderHadBeenTold() {
		left(entered("a", 1, 0), Outcome.LOST, 20);
		section("b", 2, 10, 30);
		lost(1, 14);
		stalled("a", 8, 14);
		assertThat(check().overlapNanos(false)).isEqualTo(nanos(4));
		assertThat(check().overlapNanos(true)).isEqualTo(nanos(6));
		assertThat(check().overlaps()).noneMatch(Overlap::isSilent);
		assertThat(violations()).isEmpty();
	}

	@Test
	void overlapOnlyAfterTheHolderWasToldIsAFigureAndNoViolation() {
		left(entered("a", 1, 0), Outcome.LOST, 20);
		section("b", 2, 10, 30);
		lost(1, 9);
		assertThat(check().overlapNanos(true)).isEqualTo(nanos(10));
		assertThat(violations()).isEmpty();
	}

	@Test
	void overlapIsForgivenForAsLongAsTheHolderDidNotRun() {
		section("a", 1, 0, 10);
		section("b", 2, 7, 20);
		stalled("b", 0, 20);
		stalled("a", 3, 5);
		assertThat(violations()).singleElement().asString().contains("not running for 2.000 ms");
		// what was noticed twice counts once
		stalled("a", 3, 5);
		assertThat(violations()).hasSize(1);
		stalled("a", 4, 6);
		assertThat(violations()).isEmpty();
	}

	@Test
	void aHolderThatIsToldThatItHoldsAfterTheNextGrantIsFoundWhateverStoodStill() {
		left(entered("a", 1, 1), Outcome.LOST, 20);
		section("b", 2, 10, 20);
		lost(1, 9);
		stalled("a", 2, 30);
		this.history.add(new Checked(KEY, 1, nanos(10)));
		assertThat(violations()).isEmpty();
		this.history.add(new Checked(KEY, 1, nanos(12)));
		assertThat(check().checks()).isEqualTo(2);
		assertThat(violations()).singleElement()
			.isEqualTo("false answer: 'order:1', fence 1, was said to be held 2.000 ms after the grant of fence 2 "
					+ "of b/main");
	}

	@Test
	void aKilledHolderHeldUntilItsDeathAndTheNextOneTookOver() {
		entered("a", 1, 0);
		this.history.add(new Died("a", nanos(5)));
		section("b", 2, 35, 40);
		assertThat(violations()).isEmpty();
		assertThat(check().takenOver()).isEqualTo(new Spread(1, nanos(30), nanos(30), nanos(30), nanos(30)));
	}

	@Test
	void aHolderKilledWhileAnotherHeldOverlaps() {
		entered("a", 1, 0);
		this.history.add(new Died("a", nanos(5)));
		section("b", 2, 3, 40);
		assertThat(check().overlapNanos(false)).isEqualTo(nanos(2));
		assertThat(violations()).hasSize(1);
	}

	@Test
	void aFenceThatFallsOrStaysIsFound() {
		section("a", 5, 0, 10);
		section("b", 4, 10, 20);
		section("c", 5, 20, 30);
		assertThat(violations()).isEqualTo(check().fences())
			.hasSize(2)
			.anyMatch((one) -> one.contains("did not rise: fence 4 of b/main after fence 5 of a/main"))
			.anyMatch((one) -> one.contains("did not rise: fence 5 of c/main after fence 5 of a/main"));
	}

	@Test
	void lostUpdatesAreFound() {
		this.history.add(new Counted(KEY, 100, 98));
		assertThat(violations()).singleElement().asString().contains("stands at 98, not at 100");
	}

	@Test
	void orphansAreFoundUnlessTheirSectionGoesOn() {
		entered("a", 1, 0);
		this.history.add(new Held(KEY, 1, "shop one"));
		assertThat(violations()).isEmpty();
		this.history.add(new Held(KEY, 2, "shop one"));
		assertThat(violations()).containsExactly("orphan: 'order:1' is still held, fence 2, by shop one");
		this.history.add(new Died("a", nanos(1)));
		assertThat(violations()).hasSize(2);
	}

	@Test
	void aLossToldAfterTheNextGrantIsFoundUnlessItsProcessStoodStill() {
		left(entered("a", 1, 0), Outcome.LOST, 9);
		section("b", 2, 10, 20);
		section("c", 3, 30, 40);
		lost(1, 12);
		lost(3, 39);
		assertThat(violations()).singleElement()
			.asString()
			.contains("told too late", "2.000 ms after the grant of fence 2");
		assertThat(check().losses()).isEqualTo(2);
		stalled("a", 7, 8);
		assertThat(violations()).hasSize(1);
		stalled("a", 8, 9);
		assertThat(violations()).isEmpty();
	}

	@Test
	void aLossToldBeforeTheNextGrantIsClean() {
		left(entered("a", 1, 0), Outcome.LOST, 9);
		section("b", 2, 10, 20);
		lost(1, 6);
		assertThat(violations()).isEmpty();
	}

	@Test
	void waitsAreMeasuredByPercentilesThatOccurred() {
		for (int wait = 1000; wait >= 1; wait--) {
			this.history.add(new Entered(KEY, wait, "a", "main", 0, wait));
		}
		assertThat(check().granted()).isEqualTo(new Spread(1000, 1, 500, 990, 1000));
		assertThat(check().takenOver()).isEqualTo(new Spread(0, 0, 0, 0, 0));
	}

	private List<String> violations() {
		return check().violations();
	}

	private HistoryReport check() {
		return HistoryChecker.check(this.history);
	}

	private void section(String process, long fence, long entered, long left) {
		left(entered(process, fence, entered), Outcome.COMPLETED, left);
	}

	private Entered entered(String process, long fence, long at) {
		Entered entered = new Entered(KEY, fence, process, "main", nanos(at), nanos(at));
		this.history.add(entered);
		return entered;
	}

	private void left(Entered section, Outcome outcome, long at) {
		if (!this.history.contains(section)) {
			this.history.add(section);
		}
		this.history.add(new Left(section, outcome, nanos(at)));
	}

	private void lost(long fence, long at) {
		this.history.add(new Lost(KEY, fence, nanos(at)));
	}

	private void stalled(String process, long from, long to) {
		this.history.add(new Stalled(process, nanos(from), nanos(to)));
	}

	private static long nanos(long millis) {
		return millis * 1_000_000;
	}

}
