package io.mongolock.faults.harness.register;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.faults.harness.history.HistoryChecker;
import io.mongolock.faults.harness.history.HistoryRecord;
import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Lease;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Looked;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Numbered;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Read;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryRecord.Stored;
import io.mongolock.faults.harness.history.HistoryRecord.Writing;
import io.mongolock.faults.harness.history.HistoryRecord.Wrote;
import io.mongolock.faults.harness.history.HistoryWriter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Histories that no lock can have, each refused by the checker of histories and by that
 * of registers, or by the one of them that can see it; and some that look so and are
 * right. Times are milliseconds.
 */
class ForgedHistoryTests {

	private static final String KEY = "order:1";

	private static final String A = "a";

	private static final String B = "b";

	private final List<HistoryRecord> history = new ArrayList<>();

	@TempDir
	private Path directory;

	@Test
	void aHistoryOfHoldersOneAfterTheOtherIsExplained() {
		section(A, 1, 0, 10);
		read(1, "", 1, 2);
		write(1, "", "a-1", 3, 4);
		section(B, 2, 5, 11, 20);
		read(2, "a-1", 12, 13);
		write(2, "a-1", "b-1", 14, 15);
		stored("a-1", "b-1");
		look(2, A);
		look(12, B);
		look(30);
		assertRefused(0, 0);
	}

	@Test
	void twoHoldersAreRefusedByBoth() {
		section(A, 1, 0, 10);
		section(B, 2, 5, 20);
		assertRefused(1, 1);
		assertThat(registers()).contains("lock 'order:1': no order explains");
	}

	@Test
	void aHolderThatIsToldSoAfterTheNextGrantIsRefusedByBoth() {
		left(enter(A, 1, 1, 0, 1), Outcome.LOST, 20);
		section(B, 2, 10, 20);
		this.history.add(new Stalled(A, nanos(2), nanos(20)));
		this.history.add(new Lost(KEY, 1, nanos(9)));
		assertRefused(0, 0);
		this.history.add(new Checked(KEY, 1, nanos(12)));
		assertRefused(1, 1);
	}

	@Test
	void aFenceThatIsRepeatedIsRefusedByBoth() {
		section(A, 1, 0, 10);
		section(B, 1, 11, 20);
		assertRefused(1, 1);
	}

	@Test
	void aWriteWithAStaleFenceThatOverwritesAnotherIsRefusedByBoth() {
		left(enter(A, 1, 1, 0, 1), Outcome.LOST, 20);
		this.history.add(new Lost(KEY, 1, nanos(9)));
		read(1, "", 1, 2);
		section(B, 2, 10, 30);
		read(2, "", 11, 12);
		write(2, "", "b-1", 13, 14);
		write(1, "", "a-1", 15, 16);
		stored("a-1");
		assertRefused(1, 1);
		assertThat(registers()).contains("document of 'order:1': no order explains write of 'a-1' after '' by fence 1");
	}

	@Test
	void aLostUpdateIsRefusedByBoth() {
		section(A, 1, 0, 10);
		read(1, "", 1, 2);
		write(1, "", "a-1", 3, 4);
		section(B, 2, 11, 20);
		write(2, "", "b-1", 14, 15);
		stored("b-1");
		assertRefused(1, 1);
	}

	@Test
	void anAcknowledgedWriteThatAFailoverForgetsIsRefusedByBoth() {
		section(A, 1, 0, 10);
		write(1, "", "a-1", 3, 4);
		stored();
		assertRefused(1, 1);
	}

	@Test
	void moreThanTheLimitIsRefusedByBoth() {
		shared(A, 2, 1, 0, 10);
		shared(B, 2, 2, 1, 10);
		assertRefused(0, 0);
		shared("c", 2, 3, 2, 10);
		assertRefused(1, 1);
	}

	@Test
	void aReaderBesideAWriterIsRefusedByBoth() {
		section(A, 1, 0, 10);
		shared(B, Integer.MAX_VALUE, 2, 5, 20);
		assertRefused(1, 1);
	}

	@Test
	void aWriteWithAStaleFenceThatOverwritesNothingIsSeenInRegistersAlone() {
		left(enter(A, 1, 1, 0, 1), Outcome.LOST, 20);
		this.history.add(new Lost(KEY, 1, nanos(9)));
		section(B, 2, 10, 30);
		read(2, "", 11, 12);
		write(2, "", "b-1", 13, 14);
		write(1, "b-1", "a-1", 15, 16);
		write(2, "a-1", "b-2", 17, 18);
		stored("b-1", "a-1", "b-2");
		assertRefused(0, 1);
	}

	@Test
	void aWriteWithAStaleFenceAfterTheNextOneHasReadIsSeenInRegistersAlone() {
		left(enter(A, 1, 1, 0, 1), Outcome.LOST, 20);
		this.history.add(new Lost(KEY, 1, nanos(9)));
		section(B, 2, 10, 30);
		read(2, "", 11, 12);
		write(1, "", "a-1", 13, 14);
		stored("a-1");
		assertRefused(0, 1);
	}

	@Test
	void successThatIsToldToOneWhoStoodStillWhileAnotherHeldIsSeenInRegistersAlone() {
		section(A, 1, 0, 20);
		this.history.add(new Stalled(A, nanos(1), nanos(19)));
		section(B, 2, 10, 15);
		assertRefused(0, 1);
	}

	@Test
	void aLeaseThatIsGoneWhileItsHolderBelievesInItIsSeenInRegistersAlone() {
		section(A, 1, 0, 20);
		this.history.add(new Checked(KEY, 1, nanos(10)));
		look(12);
		assertRefused(0, 0);
		look(8);
		assertRefused(0, 1);
		assertThat(registers()).contains("look that saw the leases [], where");
	}

	@Test
	void twoLeasesOfAnExclusiveLockAreSeenInRegistersAlone() {
		section(A, 1, 0, 10);
		look(20, A, B);
		assertRefused(0, 1);
	}

	@Test
	void aHandOverUnderALeaseThatWasGoneIsSeenInRegistersAlone() {
		left(enter(A, 1, 1, 0, 1), Outcome.COMPLETED, 10);
		look(11, A);
		left(enter(A, 1, 2, 12, 13), Outcome.COMPLETED, 20);
		assertRefused(0, 0);
		look(11);
		assertRefused(0, 1);
	}

	@Test
	void aNumberGivenTwiceAndALossToldLateAreSeenInHistoriesAlone() {
		this.history.add(new Numbered("invoice", 1, 2, A, nanos(1)));
		this.history.add(new Numbered("invoice", 2, 3, B, nanos(2)));
		assertRefused(1, 0);
		left(enter(A, 1, 1, 0, 1), Outcome.LOST, 9);
		section(B, 2, 10, 20);
		this.history.add(new Lost(KEY, 1, nanos(12)));
		assertRefused(2, 0);
	}

	@Test
	void aWriteWithoutAnAnswerMayOrMayNotBeThere() {
		section(A, 1, 0, 10);
		read(1, "", 1, 2);
		this.history.add(new Writing(KEY, 1, "", "a-1", nanos(3)));
		section(B, 2, 11, 20);
		read(2, "", 12, 13);
		stored();
		assertRefused(0, 0);
		this.history.clear();
		this.history.add(new Writing(KEY, 1, "", "a-1", nanos(3)));
		read(2, "a-1", 12, 13);
		write(2, "a-1", "b-1", 14, 15);
		stored("a-1", "b-1");
		assertRefused(0, 0);
		// It was not there when the next one read
		read(2, "", 16, 17);
		assertRefused(0, 1);
	}

	@Test
	void aWriteThatNobodyMadeIsSeenInRegistersAlone() {
		section(A, 1, 0, 10);
		write(1, "", "a-1", 3, 4);
		stored("x-1", "a-1");
		assertRefused(0, 1);
	}

	@Test
	void aClaimWithoutAnAnswerMayHaveALeaseWhileNobodyHolds() {
		section(A, 1, 0, 10);
		look(12, "claim of a process that died");
		section(B, 2, 5, 20, 30);
		assertRefused(0, 0);
		this.history.add(new Checked(KEY, 2, nanos(28)));
		look(25, "claim of a process that died");
		assertRefused(0, 1);
	}

	@Test
	void aHolderThatDiedMayBeSeenUntilTheNextGrant() {
		enter(A, 1, 1, 0, 1);
		this.history.add(new Died(A, nanos(5)));
		look(20, A);
		look(29);
		section(B, 2, 3, 30, 40);
		assertRefused(0, 0);
	}

	// By the checker of histories, and by that of registers
	private void assertRefused(int histories, int registers) {
		Path written = write();
		assertThat(HistoryChecker.check(written).violations()).as("histories").hasSize(histories);
		assertThat(Registers.check(written).refusals()).as("registers").hasSize(registers);
	}

	private String registers() {
		return Registers.check(write()).toString();
	}

	private Path write() {
		try {
			Path written = Files.createTempDirectory(this.directory, "");
			try (HistoryWriter writer = new HistoryWriter(written)) {
				this.history.forEach(writer::write);
			}
			return written;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void section(String process, long fence, long entered, long left) {
		section(process, fence, entered, entered, left);
	}

	private void section(String process, long fence, long asked, long entered, long left) {
		left(enter(process, 1, fence, asked, entered), Outcome.COMPLETED, left);
	}

	private void shared(String process, int limit, long fence, long entered, long left) {
		left(enter(process, limit, fence, entered, entered), Outcome.COMPLETED, left);
	}

	private Entered enter(String process, int limit, long fence, long asked, long entered) {
		Entered section = new Entered(KEY, limit, fence, process, process, "main", nanos(asked), nanos(entered));
		this.history.add(section);
		return section;
	}

	private void left(Entered section, Outcome outcome, long at) {
		this.history.add(new Left(section, outcome, nanos(at)));
	}

	private void read(long fence, String last, long from, long to) {
		this.history.add(new Read(KEY, fence, last, nanos(from), nanos(to)));
	}

	private void write(long fence, String before, String id, long from, long to) {
		this.history.add(new Writing(KEY, fence, before, id, nanos(from)));
		this.history.add(new Wrote(KEY, fence, id, nanos(to)));
	}

	private void stored(String... ids) {
		this.history.add(new Stored(KEY, List.of(ids)));
	}

	private void look(long at, String... leases) {
		this.history.add(
				new Looked(Set.of(leases).stream().map((lease) -> new Lease(KEY, lease, lease, nanos(30_000))).toList(),
						nanos(at), nanos(at)));
	}

	private static long nanos(long millis) {
		return millis * 1_000_000;
	}

}
