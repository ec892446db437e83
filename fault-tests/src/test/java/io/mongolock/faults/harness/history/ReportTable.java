package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import io.mongolock.faults.harness.history.HistoryRecord.Counted;

/**
 * A report as text.
 */
final class ReportTable {

	/** More than anyone reads. */
	private static final int MAX_VIOLATIONS = 50;

	private final List<String> lines = new ArrayList<>();

	private ReportTable() {
	}

	static String of(HistoryReport report) {
		ReportTable table = new ReportTable();
		table.counts(report);
		table.timings(report);
		table.violations(report.violations());
		return String.join(System.lineSeparator(), table.lines) + System.lineSeparator();
	}

	private void counts(HistoryReport report) {
		row("sections", report.sections() + " on " + report.keys() + " keys, " + report.open() + " without an end");
		row("overlap before told", HistoryReport.millis(report.overlapNanos(false)) + ", of which silent: "
				+ report.overlaps().stream().filter(Overlap::isSilent).count() + " times");
		row("overlap after told", HistoryReport.millis(report.overlapNanos(true)));
		report.overlapNanosByKey()
			.forEach((key, nanos) -> row("  overlap of '" + key + "'", HistoryReport.millis(nanos)));
		row("fences not rising", String.valueOf(report.fences().size()));
		row("lost updates", report.counters().stream().mapToLong(ReportTable::missing).sum() + " in "
				+ report.counters().size() + " counters");
		row("orphans at rest", String.valueOf(report.orphans().size()));
		row("checks", report.checks() + ", of which false: " + report.falseChecks().size());
		row("losses told", report.losses() + ", of which followed by a grant: " + report.warnings().size());
	}

	private void timings(HistoryReport report) {
		this.lines.add("");
		this.lines.add(String.format("%-28s%8s%14s%14s%14s%14s", "", "count", "min", "p50", "p99", "max"));
		Timings timings = report.timings();
		row("claim to grant", timings.granted());
		row("claim to refusal", timings.denied());
		row("release to next waiter", timings.handedOver());
		row("death to take-over", timings.takenOver());
		row("told before next grant", Spread.of(report.warnings().stream().mapToLong(Warning::leadNanos)));
	}

	private void violations(List<String> violations) {
		this.lines.add("");
		this.lines.add(violations.isEmpty() ? "No violations" : violations.size() + " violations:");
		violations.stream().limit(MAX_VIOLATIONS).map((violation) -> "  " + violation).forEach(this.lines::add);
		if (violations.size() > MAX_VIOLATIONS) {
			this.lines.add("  … and " + (violations.size() - MAX_VIOLATIONS) + " more");
		}
	}

	private void row(String name, String value) {
		this.lines.add(String.format("%-28s%s", name, value));
	}

	private void row(String name, Spread spread) {
		Function<Long, String> cell = (nanos) -> (spread.count() != 0) ? HistoryReport.millis(nanos) : "-";
		this.lines
			.add(String.format(Locale.ROOT, "%-28s%8d%14s%14s%14s%14s", name, spread.count(), cell.apply(spread.min()),
					cell.apply(spread.p50()), cell.apply(spread.p99()), cell.apply(spread.max())));
	}

	private static long missing(Counted counter) {
		return Math.abs(counter.expected() - counter.actual());
	}

}
