package io.mongolock.faults.harness.history;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Fault;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Looked;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Numbered;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryRecord.Stored;
import io.mongolock.faults.harness.history.HistoryRecord.Wrote;
import io.mongolock.faults.harness.history.Violation.Kind;

/**
 * Judges a history by the promises of the lock: exclusion, rising fences, no lost update,
 * no number twice, no orphan, losses notified in time.
 */
public final class HistoryChecker {

	/** Of how many violations, the earliest, it is said what happened around them. */
	private static final int EXPLAINED = 5;

	private final Collection<HistoryRecord> records;

	private final Stalls stalls;

	private final List<Section> sections;

	private final List<Violation> violations = new ArrayList<>();

	private final List<Long> granted = new ArrayList<>();

	private final List<Long> takenOver = new ArrayList<>();

	private HistoryChecker(Collection<HistoryRecord> records) {
		this.records = records;
		this.stalls = new Stalls(all(Stalled.class));
		this.sections = sections();
	}

	public static HistoryReport check(Path directory) {
		return check(HistoryWriter.read(directory));
	}

	// The order of the records of different processes does not matter
	static HistoryReport check(Collection<HistoryRecord> records) {
		return new HistoryChecker(records).report();
	}

	private HistoryReport report() {
		Exclusion exclusion = new Exclusion(this.stalls);
		Map<String, List<Checked>> checks = only(Checked.class).collect(Collectors.groupingBy(Checked::key));
		SortedMap<String, List<Section>> keys = this.sections.stream()
			.collect(Collectors.groupingBy((section) -> section.entered().key(), TreeMap::new, Collectors.toList()));
		keys.forEach((key, sections) -> {
			exclusion.check(sections);
			measure(sections);
			this.violations.addAll(FenceOrder.check(sections));
			NavigableMap<Long, Section> byFence = byFence(sections);
			sections.forEach((section) -> checkToldInTime(section, byFence));
			checks.getOrDefault(key, List.of()).forEach((check) -> checkTrue(check, byFence));
		});
		this.violations.addAll(exclusion.violations());
		this.violations.addAll(Outcomes.checkWrites(all(Wrote.class), all(Stored.class)));
		this.violations.addAll(Outcomes.checkNumbers(all(Numbered.class)));
		only(Counted.class).map(Outcomes::checkCounter).forEach(this.violations::addAll);
		UnusedLeases unused = UnusedLeases.of(this.sections, all(Died.class), all(Looked.class), this.stalls);
		this.violations.addAll(unused.violations());
		only(Held.class).forEach(this::checkInUse);
		return new HistoryReport(this.sections.size(), all(Lost.class).size(), all(Checked.class).size(),
				all(Wrote.class).size(), all(Numbered.class).size(), all(Fault.class).size(), exclusion.overlaps(),
				explained(), outcomes(keys), Spread.of(this.granted), Spread.of(this.takenOver),
				Spread.of(unused.kept()));
	}

	private List<Violation> explained() {
		Surroundings surroundings = new Surroundings(this.records);
		this.violations.sort(Comparator.comparingLong(Violation::nanos));
		return Stream
			.concat(this.violations.stream().limit(EXPLAINED).map((one) -> one.with(surroundings.of(one))),
					this.violations.stream().skip(EXPLAINED))
			.toList();
	}

	// In the order in which they began
	private List<Section> sections() {
		Map<Entered, Left> left = index(only(Left.class), Left::section);
		Map<String, Died> died = index(only(Died.class), Died::process);
		Map<String, Lost> lost = index(only(Lost.class), (one) -> one.key() + " " + one.fence());
		return only(Entered.class).sorted(Comparator.comparingLong(Entered::nanos))
			.map((entered) -> section(entered, left.get(entered), died.get(entered.process()),
					lost.get(entered.key() + " " + entered.fence())))
			.toList();
	}

	private static Section section(Entered entered, @Nullable Left left, @Nullable Died died, @Nullable Lost lost) {
		long notified = (lost != null) ? lost.nanos() : Section.NEVER;
		if (left != null) {
			return new Section(entered, left.outcome(), left.nanos(), notified);
		}
		return (died != null) ? new Section(entered, Outcome.DIED, died.nanos(), notified)
				: new Section(entered, Outcome.OPEN, entered.nanos(), notified);
	}

	private void measure(List<Section> sections) {
		Section last = null;
		for (Section section : sections) {
			this.granted.add(section.enteredNanos() - section.entered().askedNanos());
			if (last != null && last.outcome() == Outcome.DIED && section.excludes(last)
					&& section.enteredNanos() >= last.leftNanos()) {
				this.takenOver.add(section.enteredNanos() - last.leftNanos());
			}
			last = section;
		}
	}

	private static SortedMap<String, String> outcomes(SortedMap<String, List<Section>> keys) {
		SortedMap<String, String> outcomes = new TreeMap<>();
		keys.forEach((key, sections) -> outcomes.put(key, sections.stream()
			.collect(Collectors.groupingBy(Section::outcome, () -> new EnumMap<>(Outcome.class), Collectors.counting()))
			.toString()));
		return outcomes;
	}

	// The first of those that have the same
	private static NavigableMap<Long, Section> byFence(List<Section> sections) {
		NavigableMap<Long, Section> byFence = new TreeMap<>();
		sections.forEach((section) -> byFence.putIfAbsent(section.fence(), section));
		return byFence;
	}

	private void checkToldInTime(Section lost, NavigableMap<Long, Section> byFence) {
		if (lost.notifiedNanos() == Section.NEVER) {
			return;
		}
		next(lost.fence(), byFence).filter((next) -> !released(lost, next)).ifPresent((next) -> {
			long late = lost.notifiedNanos() - next.enteredNanos();
			if (late > this.stalls.nanos(lost.entered().process(), lost.enteredNanos(), lost.notifiedNanos())) {
				this.violations.add(new Violation(Kind.TOLD_LATE, lost.entered().key(), lost.notifiedNanos(),
						"notified too late: the loss of '" + lost.entered().key() + "', " + lost + ", "
								+ Spread.millis(late) + " after the grant of " + next));
			}
		});
	}

	// The next one came by a release, or a save, whose answer was so late that the lock
	// was taken for lost
	private static boolean released(Section lost, Section next) {
		return lost.outcome() != Outcome.LOST && lost.leftNanos() <= next.enteredNanos();
	}

	// Nothing excuses that: a holder that stood still asks late, and gets the truth
	private void checkTrue(Checked check, NavigableMap<Long, Section> byFence) {
		next(check.fence(), byFence).filter((next) -> next.enteredNanos() < check.nanos())
			.ifPresent((next) -> this.violations.add(new Violation(Kind.FALSE_CHECK, check.key(), check.nanos(),
					"false answer: '" + check.key() + "', fence " + check.fence() + ", was said to be held "
							+ Spread.millis(check.nanos() - next.enteredNanos()) + " after the grant of " + next)));
	}

	// The one that came after the holder of that fence and excludes it
	private static Optional<Section> next(long fence, NavigableMap<Long, Section> byFence) {
		Section holder = byFence.get(fence);
		return byFence.tailMap(fence, false)
			.values()
			.stream()
			.filter((other) -> holder == null || other.excludes(holder))
			.findFirst();
	}

	private void checkInUse(Held held) {
		boolean inUse = this.sections.stream()
			.anyMatch((section) -> section.outcome() == Outcome.OPEN && section.fence() == held.fence()
					&& section.entered().key().equals(held.key()));
		if (!inUse) {
			this.violations.add(new Violation(Kind.ORPHAN, held.key(), 0,
					"orphan: '" + held.key() + "' is still held, fence " + held.fence() + ", by " + held.owner()));
		}
	}

	private <T> List<T> all(Class<T> type) {
		return only(type).toList();
	}

	private <T> Stream<T> only(Class<T> type) {
		return this.records.stream().filter(type::isInstance).map(type::cast);
	}

	private static <K, T> Map<K, T> index(Stream<T> records, Function<T, K> by) {
		return records.collect(Collectors.toMap(by, (record) -> record, (earlier, later) -> later));
	}

}
