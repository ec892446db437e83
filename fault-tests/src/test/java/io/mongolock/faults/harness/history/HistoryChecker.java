package io.mongolock.faults.harness.history;

import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * Judges a history by the promises of the lock: exclusion, rising fences, no lost update,
 * no orphan, losses told in time. Immutable.
 */
public final class HistoryChecker {

	private final Allowance allowance;

	/**
	 * A checker that forgives nothing.
	 */
	public HistoryChecker() {
		this(Allowance.NONE);
	}

	/**
	 * A checker.
	 * @param allowance what it forgives
	 */
	public HistoryChecker(Allowance allowance) {
		this.allowance = allowance;
	}

	/**
	 * Judge histories in files as one, and print the report.
	 * @param args the files; exit status 1 if there are violations, 2 if they cannot be
	 * read
	 */
	public static void main(String[] args) {
		System.exit(run(args, System.out, System.err));
	}

	static int run(String[] args, PrintStream out, PrintStream err) {
		if (args.length == 0) {
			err.println("Usage: HistoryChecker <file>...");
			return 2;
		}
		try {
			HistoryReport report = new HistoryChecker()
				.check(HistoryReader.read(Arrays.stream(args).map(Path::of).toList()));
			out.print(report.toTable());
			return (report.isClean()) ? 0 : 1;
		}
		catch (IllegalArgumentException | UncheckedIOException ex) {
			err.println(ex.getMessage());
			return 2;
		}
	}

	/**
	 * Judge a history.
	 * @param history the history
	 * @return what was found
	 */
	public HistoryReport check(History history) {
		List<Overlap> overlaps = new ArrayList<>();
		List<FenceFault> fences = new ArrayList<>();
		List<Warning> warnings = new ArrayList<>();
		ByKey.of(history).forEach((key, one) -> {
			List<Grant> grants = one.grants();
			overlaps.addAll(OverlapCheck.find(one.sections(), one.losses()));
			fences.addAll(FenceCheck.find(key, grants));
			warnings.addAll(WarningCheck.find(key, one.losses(), grants));
		});
		int keys = (int) history.sections().stream().map(Section::key).distinct().count();
		return new HistoryReport(history.sections().size(), keys, open(history).size(), overlaps, fences,
				history.counters(), orphans(history), warnings, history.losses().size(), Timings.of(history),
				this.allowance);
	}

	private static List<Held> orphans(History history) {
		Set<String> inUse = open(history).stream()
			.map((section) -> section.fence() + " " + section.key())
			.collect(Collectors.toSet());
		return history.held().stream().filter((held) -> !inUse.contains(held.fence() + " " + held.key())).toList();
	}

	private static List<Section> open(History history) {
		return history.sections().stream().filter((section) -> section.outcome() == Outcome.OPEN).toList();
	}

}
