package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Fault;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Lease;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Looked;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Numbered;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryRecord.Stored;
import io.mongolock.faults.harness.history.HistoryRecord.Wrote;

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
					"fence 1 of a/main (ended COMPLETED, not running for 0.000 ms)", "fence 2 of b/main");
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
	void theLastOutcomeOfASectionCounts() {
		Entered section = entered("a", 1, 0);
		left(section, Outcome.DIED, 10);
		left(section, Outcome.COMPLETED, 10);
		section("b", 2, 9, 20);
		assertThat(violations()).singleElement().asString().contains("ended COMPLETED");
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
		// What was noticed twice counts once
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
			.contains("notified too late", "2.000 ms after the grant of fence 2");
		assertThat(check().losses()).isEqualTo(2);
		stalled("a", 7, 8);
		assertThat(violations()).hasSize(1);
		stalled("a", 8, 9);
		assertThat(violations()).isEmpty();
	}

	@Test
	void aLossToldToOneWhoseOwnReleaseLetTheNextOneInIsClean() {
		section("a", 1, 0, 9);
		section("b", 2, 10, 20);
		lost(1, 12);
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

	@Test
	void asManyAsTheLimitMayHoldTogetherAndNoMore() {
		shared(3, "a", 1, 0, 10);
		shared(3, "b", 2, 1, 10);
		shared(3, "c", 3, 2, 10);
		shared(3, "d", 5, 10, 20);
		assertThat(violations()).isEmpty();
		shared(3, "e", 4, 9, 12);
		assertThat(violations()).singleElement()
			.asString()
			.contains("4 at a time on 'order:1', where 3 may be: fence 4 of e/main beside", "fence 1 of a/main");
	}

	@Test
	void ofThoseWhoHoldTogetherWhoStoodStillOrWasNotifiedIsNotCounted() {
		shared(2, "a", 1, 0, 10);
		shared(2, "b", 2, 0, 10);
		shared(2, "c", 3, 8, 20);
		assertThat(violations()).hasSize(1);
		stalled("b", 2, 4);
		assertThat(violations()).isEmpty();
		shared(2, "d", 4, 9, 20);
		assertThat(violations()).hasSize(1);
		lost(1, 9);
		assertThat(violations()).isEmpty();
	}

	@Test
	void theSmallestLimitCounts() {
		shared(5, "a", 1, 0, 10);
		shared(5, "b", 2, 0, 10);
		shared(2, "c", 3, 5, 10);
		assertThat(violations()).singleElement().asString().contains("3 at a time", "where 2 may be");
	}

	@Test
	void readersHoldTogetherAndNoneBesideAWriter() {
		shared(Integer.MAX_VALUE, "a", 1, 0, 10);
		shared(Integer.MAX_VALUE, "b", 2, 5, 15);
		section("c", 3, 15, 20);
		assertThat(violations()).isEmpty();
		shared(Integer.MAX_VALUE, "d", 4, 18, 30);
		assertThat(violations()).singleElement().asString().contains("overlap of 2.000 ms", "fence 4 of d/main");
		assertThat(check().overlaps()).hasSize(1);
	}

	@Test
	void fencesOfThoseWhoHoldTogetherAreOrderedByWhoHadBegunWhenTheOtherAsked() {
		shared(3, "a", 2, 10, 20);
		// Granted first, and begun last
		shared(3, "b", 1, 12, 20, 5);
		assertThat(violations()).isEmpty();
		shared(3, "c", 1, 15, 20, 11);
		assertThat(violations()).singleElement()
			.asString()
			.contains("did not rise: fence 1 of c/main after fence 2 of a/main");
	}

	@Test
	void aWriterHasAHigherFenceThanTheReadersBeforeIt() {
		shared(Integer.MAX_VALUE, "a", 2, 0, 10);
		left(new Entered(KEY, 1, "b", "main", 0, nanos(10)), Outcome.COMPLETED, 20);
		shared(Integer.MAX_VALUE, "c", 1, 20, 30, 0);
		assertThat(violations()).hasSize(2).allMatch((one) -> one.contains("did not rise"));
	}

	@Test
	void aLossMayBeNotifiedAfterTheGrantOfOneWhoMayHoldTogetherWithIt() {
		lostShared("a", 1, 0, 9);
		lostShared("b", 2, 10, 20);
		lost(1, 12);
		this.history.add(new Checked(KEY, 1, nanos(11)));
		assertThat(violations()).isEmpty();
		section("c", 3, 20, 30);
		lost(2, 21);
		assertThat(violations()).singleElement().asString().contains("notified too late", "fence 2 of b/main");
	}

	@Test
	void anAcknowledgedWriteThatIsNotThereIsFound() {
		this.history.add(new Stored(KEY, List.of("a-1", "b-1", "b-2")));
		this.history.add(new Wrote(KEY, 1, "a-1", nanos(1)));
		this.history.add(new Wrote(KEY, 2, "b-1", nanos(2)));
		assertThat(violations()).isEmpty();
		this.history.add(new Wrote(KEY, 3, "c-1", nanos(3)));
		assertThat(violations()).containsExactly("lost update: write c-1 with fence 3 is not in 'order:1'");
		assertThat(check().writes()).isEqualTo(3);
	}

	@Test
	void aNumberThatIsGivenTwiceIsFound() {
		this.history.add(new Numbered("invoice", 4, 6, "a", nanos(1)));
		this.history.add(new Numbered("invoice", 1, 3, "b", nanos(2)));
		this.history.add(new Numbered("other", 1, 9, "b", nanos(3)));
		assertThat(violations()).isEmpty();
		this.history.add(new Numbered("invoice", 7, 7, "a", nanos(4)));
		this.history.add(new Numbered("invoice", 6, 6, "c", nanos(5)));
		assertThat(violations()).containsExactly("number 6 of 'invoice' given twice: to process a and to process c");
	}

	@Test
	void aLeaseThatIsKeptByAProcessThatDoesNotUseItIsFound() {
		left(new Entered(KEY, 1, 1, "grant", "a", "main", 0, 0), Outcome.COMPLETED, 500);
		looks("grant", 0, 12_500);
		assertThat(violations()).isEmpty();
		assertThat(check().unused().max()).isEqualTo(nanos(12_000));
		looks("grant", 12_600, 12_700);
		assertThat(violations()).singleElement()
			.isEqualTo("held by nobody: 'order:1' was kept by process a for 12200.000 ms in which it could have been "
					+ "released");
		stalled("a", 3000, 3300);
		assertThat(violations()).isEmpty();
	}

	@Test
	void aLeaseWithoutASectionIsKeptByNobodyFromTheFirstLookOn() {
		looks("grant", 1000, 13_000);
		assertThat(violations()).isEmpty();
		looks("grant", 13_100, 13_200);
		assertThat(violations()).hasSize(1);
	}

	@Test
	void timeInWhichTheStoreCouldNotBeAskedIsNotThatOfALeaseThatIsKept() {
		looks("grant", 0, 4000);
		looks("grant", 20_000, 28_000);
		assertThat(violations()).isEmpty();
		looks("grant", 28_100, 28_200);
		assertThat(violations()).hasSize(1);
	}

	@Test
	void aLeaseInUseIsNot() {
		left(new Entered(KEY, 1, 1, "grant", "a", "main", 0, 0), Outcome.COMPLETED, 500);
		left(new Entered(KEY, 1, 2, "grant", "a", "next", 0, nanos(500)), Outcome.COMPLETED, 60_000);
		looks("grant", 0, 61_000);
		assertThat(violations()).isEmpty();
	}

	@Test
	void aLeaseOfAProcessThatDiedLastsForItsTtl() {
		entered("a", 1, 0);
		this.history.add(new Died("a", nanos(100)));
		looks("grant", 0, 33_000);
		assertThat(violations()).isEmpty();
		looks("grant", 33_100, 33_200);
		assertThat(violations()).singleElement()
			.isEqualTo("held by nobody: 'order:1' outlived process a by its ttl and 3100.000 ms");
	}

	@Test
	void aViolationIsShownWithWhatHappenedAroundIt() {
		section("a", 1, 0, 10);
		section("b", 2, 7, 20);
		left(new Entered("order:2", 1, "b", "main", nanos(5), nanos(5)), Outcome.COMPLETED, 15);
		this.history.add(new Fault("primary killed", nanos(3), nanos(9)));
		this.history.add(new Died("c", nanos(1007)));
		this.history.add(new Died("d", nanos(60_000)));
		assertThat(check().toTable().lines().map(String::strip))
			.containsSubsequence("-0.007 s  fence 1 of a/main entered, asked 0.000 ms before",
					"-0.004 s  fault: primary killed", "+0.000 s  fence 2 of b/main entered, asked 0.000 ms before",
					"+0.002 s  over: primary killed", "+0.003 s  fence 1 of a/main left: COMPLETED",
					"+0.013 s  fence 2 of b/main left: COMPLETED", "+1.000 s  process c killed")
			.noneMatch((line) -> line.contains("process d") || line.contains("+0.008"));
		assertThat(check().faults()).isOne();
	}

	private void looks(String grant, long from, long to) {
		for (long at = from; at <= to; at += 100) {
			this.history.add(new Looked(List.of(new Lease(KEY, grant, "a", nanos(30_000))), nanos(at), nanos(at)));
		}
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

	private void lostShared(String process, long fence, long entered, long left) {
		left(new Entered(KEY, 3, fence, "", process, "main", nanos(entered), nanos(entered)), Outcome.LOST, left);
	}

	private void shared(int limit, String process, long fence, long entered, long left) {
		shared(limit, process, fence, entered, left, entered);
	}

	private void shared(int limit, String process, long fence, long entered, long left, long asked) {
		left(new Entered(KEY, limit, fence, "", process, "main", nanos(asked), nanos(entered)), Outcome.COMPLETED,
				left);
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
