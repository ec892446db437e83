package io.mongolock.faults.harness.history;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;

/**
 * Judges a history by the promises of the lock: exclusion, rising fences, no lost update,
 * no orphan, losses notified in time.
 */
public final class HistoryChecker {

	private final Collection<HistoryRecord> records;

	private final Stalls stalls;

	private final List<Section> sections;

	private final List<Overlap> overlaps = new ArrayList<>();

	private final List<String> fences = new ArrayList<>();

	private final List<String> falseChecks = new ArrayList<>();

	private final List<String> others = new ArrayList<>();

	private final List<Long> granted = new ArrayList<>();

	private final List<Long> takenOver = new ArrayList<>();

	private HistoryChecker(Collection<HistoryRecord> records) {
		this.records = records;
		this.stalls = new Stalls(only(Stalled.class).toList());
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
		Map<String, List<Checked>> checks = only(Checked.class).collect(Collectors.groupingBy(Checked::key));
		Map<String, List<Section>> keys = this.sections.stream()
			.collect(Collectors.groupingBy((section) -> section.entered().key(), TreeMap::new, Collectors.toList()));
		keys.forEach((key, sections) -> {
			checkExclusion(sections);
			measure(sections);
			NavigableMap<Long, Section> byFence = checkFences(sections);
			sections.forEach((section) -> checkToldInTime(section, byFence));
			checks.getOrDefault(key, List.of()).forEach((check) -> checkTrue(check, byFence));
		});
		only(Counted.class).forEach(this::checkCounter);
		only(Held.class).forEach(this::checkInUse);
		return new HistoryReport(this.sections.size(), (int) only(Lost.class).count(),
				(int) only(Checked.class).count(), this.overlaps, this.fences, this.falseChecks, this.others,
				Spread.of(this.granted), Spread.of(this.takenOver));
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
		long told = (lost != null) ? lost.nanos() : Section.NEVER;
		if (left != null) {
			return new Section(entered, left.outcome(), left.nanos(), told);
		}
		return (died != null) ? new Section(entered, Outcome.DIED, died.nanos(), told)
				: new Section(entered, Outcome.OPEN, entered.nanos(), told);
	}

	private void measure(List<Section> sections) {
		Section last = null;
		for (Section section : sections) {
			this.granted.add(section.enteredNanos() - section.entered().askedNanos());
			if (last != null && last.outcome() == Outcome.DIED && section.enteredNanos() >= last.leftNanos()) {
				this.takenOver.add(section.enteredNanos() - last.leftNanos());
			}
			last = section;
		}
	}

	private void checkExclusion(List<Section> sections) {
		List<Section> active = new ArrayList<>();
		for (Section section : sections) {
			active.removeIf((other) -> other.leftNanos() <= section.enteredNanos());
			if (section.leftNanos() > section.enteredNanos()) {
				active.forEach((other) -> this.overlaps.add(Overlap.of(other, section, this.stalls)));
				active.add(section);
			}
		}
	}

	private NavigableMap<Long, Section> checkFences(List<Section> sections) {
		NavigableMap<Long, Section> byFence = new TreeMap<>();
		for (Section section : sections) {
			if (!byFence.isEmpty() && byFence.lastKey() >= section.fence()) {
				this.fences.add("fence of '" + section.entered().key() + "' did not rise: " + section + " after "
						+ byFence.lastEntry().getValue());
			}
			byFence.putIfAbsent(section.fence(), section);
		}
		return byFence;
	}

	private void checkToldInTime(Section lost, NavigableMap<Long, Section> byFence) {
		Map.@Nullable Entry<Long, Section> next = byFence.higherEntry(lost.fence());
		if (lost.toldNanos() == Section.NEVER || next == null) {
			return;
		}
		long late = lost.toldNanos() - next.getValue().enteredNanos();
		if (late > this.stalls.nanos(lost.entered().process(), lost.enteredNanos(), lost.toldNanos())) {
			this.others.add("told too late: the loss of '" + lost.entered().key() + "', " + lost + ", "
					+ Spread.millis(late) + " after the grant of " + next.getValue());
		}
	}

	// Nothing excuses that: who stood still asks late, and is told the truth
	private void checkTrue(Checked check, NavigableMap<Long, Section> byFence) {
		Map.@Nullable Entry<Long, Section> next = byFence.higherEntry(check.fence());
		if (next != null && next.getValue().enteredNanos() < check.nanos()) {
			this.falseChecks.add("false answer: '" + check.key() + "', fence " + check.fence()
					+ ", was said to be held " + Spread.millis(check.nanos() - next.getValue().enteredNanos())
					+ " after the grant of " + next.getValue());
		}
	}

	private void checkCounter(Counted counter) {
		if (counter.actual() != counter.expected()) {
			this.others.add("lost updates: counter '" + counter.key() + "' stands at " + counter.actual() + ", not at "
					+ counter.expected());
		}
	}

	private void checkInUse(Held held) {
		boolean inUse = this.sections.stream()
			.anyMatch((section) -> section.outcome() == Outcome.OPEN && section.fence() == held.fence()
					&& section.entered().key().equals(held.key()));
		if (!inUse) {
			this.others
				.add("orphan: '" + held.key() + "' is still held, fence " + held.fence() + ", by " + held.owner());
		}
	}

	private <T> Stream<T> only(Class<T> type) {
		return this.records.stream().filter(type::isInstance).map(type::cast);
	}

	private static <K, T> Map<K, T> index(Stream<T> records, Function<T, K> by) {
		return records.collect(Collectors.toMap(by, (record) -> record, (earlier, later) -> later));
	}

}
