package io.mongolock.faults.harness.history;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Failed;
import io.mongolock.faults.harness.history.HistoryRecord.Fault;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Numbered;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryRecord.Wrote;
import io.mongolock.faults.harness.history.Violation.Kind;

/**
 * What was written down around a violation: of its key, and of faults. A line each, in
 * the order of time, which is counted in seconds from it.
 */
final class Surroundings {

	private static final long NEAR = Duration.ofSeconds(15).toNanos();

	private static final int MAX_LINES = 40;

	/** Of a stall that is shown: a shorter one explains little. */
	private static final long LONG_STALL = Duration.ofMillis(500).toNanos();

	private final Collection<HistoryRecord> records;

	Surroundings(Collection<HistoryRecord> records) {
		this.records = records;
	}

	String of(Violation violation) {
		return this.records.stream()
			.filter((record) -> !(record instanceof Checked) || violation.kind() == Kind.FALSE_CHECK)
			.flatMap((record) -> line(record, violation.key()))
			.filter((line) -> Math.abs(line.nanos() - violation.nanos()) < NEAR)
			.sorted(Comparator.comparingLong((line) -> Math.abs(line.nanos() - violation.nanos())))
			.limit(MAX_LINES)
			.sorted(Comparator.comparingLong(Line::nanos))
			.map((line) -> String.format(Locale.ROOT, "    %+9.3f s  %s",
					(line.nanos() - violation.nanos()) / 1_000_000_000.0, line.text()))
			.collect(Collectors.joining("\n"));
	}

	private static Stream<Line> line(HistoryRecord record, String key) {
		if (record instanceof Fault fault) {
			return Stream.of(new Line(fault.fromNanos(), "fault: " + fault.what()),
					new Line(fault.toNanos(), "over: " + fault.what()));
		}
		if (record instanceof Died died) {
			return Stream.of(new Line(died.nanos(), "process " + died.process() + " killed"));
		}
		if (record instanceof Stalled stalled && stalled.toNanos() - stalled.fromNanos() > LONG_STALL) {
			return Stream.of(new Line(stalled.toNanos(), "process " + stalled.process() + " had stood still for "
					+ Spread.millis(stalled.toNanos() - stalled.fromNanos())));
		}
		return Stream.ofNullable(ofKey(record, key));
	}

	private static @Nullable Line ofKey(HistoryRecord record, String key) {
		if (record instanceof Entered entered && entered.key().equals(key)) {
			return new Line(entered.nanos(), describe(entered) + " entered, asked "
					+ Spread.millis(entered.nanos() - entered.askedNanos()) + " before");
		}
		if (record instanceof Left left && left.section().key().equals(key)) {
			return new Line(left.nanos(), describe(left.section()) + " left: " + left.outcome());
		}
		if (record instanceof Lost lost && lost.key().equals(key)) {
			return new Line(lost.nanos(), "fence " + lost.fence() + " notified of its loss");
		}
		if (record instanceof Checked checked && checked.key().equals(key)) {
			return new Line(checked.nanos(), "fence " + checked.fence() + " held at its last check");
		}
		if (record instanceof Wrote wrote && wrote.key().equals(key)) {
			return new Line(wrote.nanos(), "fence " + wrote.fence() + " wrote " + wrote.id());
		}
		if (record instanceof Numbered numbers && numbers.sequence().equals(key)) {
			return new Line(numbers.nanos(),
					"process " + numbers.process() + " given " + numbers.first() + " to " + numbers.last());
		}
		if (record instanceof Failed failed && failed.key().equals(key)) {
			return new Line(failed.nanos(), "process " + failed.process() + " failed with " + failed.failure());
		}
		return null;
	}

	private static String describe(Entered entered) {
		return "fence " + entered.fence() + " of " + entered.process() + "/" + entered.thread();
	}

	private record Line(long nanos, String text) {
	}

}
