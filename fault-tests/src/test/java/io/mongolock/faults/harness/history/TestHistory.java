package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.ClaimOutcome;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Granted;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryRecord.Waited;

/**
 * Writes histories by hand; times are milliseconds.
 */
final class TestHistory {

	private final List<HistoryRecord> records = new ArrayList<>();

	private final String key;

	TestHistory(String key) {
		this.key = key;
	}

	TestHistory section(String process, long fence, int limit, long entered, long left, Outcome outcome) {
		return entered(process, fence, limit, entered)
			.add(new Left(process + fence + "@" + entered, outcome, nanos(left)));
	}

	TestHistory section(String process, long fence, long entered, long left) {
		return section(process, fence, 1, entered, left, Outcome.COMPLETED);
	}

	TestHistory entered(String process, long fence, int limit, long at) {
		return add(new Entered(process + fence + "@" + at, this.key, fence, limit, process, "main", nanos(at)));
	}

	TestHistory granted(String process, long fence, int limit, long asked, long known) {
		add(new Waited(this.key, process, "main", nanos(asked), nanos(known), ClaimOutcome.GRANTED));
		return add(new Granted(this.key, fence, limit, process, "main", nanos(asked), nanos(known)));
	}

	TestHistory denied(String process, long asked, long known) {
		return add(new Waited(this.key, process, "main", nanos(asked), nanos(known), ClaimOutcome.DENIED));
	}

	TestHistory lost(long fence, long told) {
		return add(new Lost(this.key, fence, nanos(told)));
	}

	TestHistory died(String process, long at) {
		return add(new Died(process, nanos(at)));
	}

	TestHistory counted(long expected, long actual) {
		return add(new Counted(this.key, expected, actual));
	}

	TestHistory held(long fence) {
		return add(new Held(this.key, fence, "shop one"));
	}

	TestHistory add(HistoryRecord record) {
		this.records.add(record);
		return this;
	}

	List<HistoryRecord> records() {
		return this.records;
	}

	TestHistory checked(long fence, long asked) {
		return add(new Checked(this.key, fence, nanos(asked)));
	}

	TestHistory stalled(String process, long from, long to) {
		return add(new Stalled(process, nanos(from), nanos(to)));
	}

	HistoryReport check() {
		return new HistoryChecker().check(History.of(this.records));
	}

	static long nanos(long millis) {
		return millis * 1_000_000;
	}

}
