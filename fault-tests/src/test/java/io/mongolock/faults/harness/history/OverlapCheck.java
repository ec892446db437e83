package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.mongolock.faults.harness.history.HistoryRecord.Lost;

/**
 * Goes through the sections of one key in time and looks for more than the smallest limit
 * among them. Not thread-safe.
 */
final class OverlapCheck {

	private static final Comparator<Event> IN_TIME = Comparator.comparingLong(Event::nanos)
		.thenComparing(Event::change);

	private final Set<Section> active = new LinkedHashSet<>();

	private final Set<Section> untold = new LinkedHashSet<>();

	private final Map<Pair, Long> nanos = new LinkedHashMap<>();

	private OverlapCheck() {
	}

	static List<Overlap> find(Collection<Section> sections, Collection<Lost> losses) {
		return new OverlapCheck().run(events(sections, losses));
	}

	private static List<Event> events(Collection<Section> sections, Collection<Lost> losses) {
		List<Event> events = new ArrayList<>();
		for (Section section : sections) {
			events.add(new Event(section.enteredNanos(), Change.ENTERED, section));
			events.add(new Event(section.leftNanos(), Change.LEFT, section));
			losses.stream()
				.filter((loss) -> loss.fence() == section.fence() && loss.toldNanos() < section.leftNanos())
				.map((loss) -> Math.max(loss.toldNanos(), section.enteredNanos()))
				.min(Comparator.naturalOrder())
				.ifPresent((told) -> events.add(new Event(told, Change.TOLD, section)));
		}
		events.removeIf((event) -> event.section().leftNanos() <= event.section().enteredNanos());
		events.sort(IN_TIME);
		return events;
	}

	private List<Overlap> run(List<Event> events) {
		long before = 0;
		for (Event event : events) {
			note(event.nanos() - before);
			apply(event);
			before = event.nanos();
		}
		return this.nanos.entrySet()
			.stream()
			.map((entry) -> Overlap.of(entry.getKey().first(), entry.getKey().last(), entry.getValue(),
					entry.getKey().told()))
			.toList();
	}

	private void note(long duration) {
		if (duration == 0 || this.active.size() < 2) {
			return;
		}
		if (exceeds(this.untold)) {
			this.nanos.merge(pair(this.untold, false), duration, Long::sum);
		}
		else if (exceeds(this.active)) {
			this.nanos.merge(pair(this.active, true), duration, Long::sum);
		}
	}

	private void apply(Event event) {
		switch (event.change()) {
			case LEFT -> {
				this.active.remove(event.section());
				this.untold.remove(event.section());
			}
			case ENTERED -> {
				this.active.add(event.section());
				this.untold.add(event.section());
			}
			case TOLD -> this.untold.remove(event.section());
		}
	}

	private static boolean exceeds(Set<Section> sections) {
		return sections.size() > sections.stream().mapToInt(Section::limit).min().orElse(Integer.MAX_VALUE);
	}

	private static Pair pair(Set<Section> sections, boolean told) {
		List<Section> inOrder = List.copyOf(sections);
		return new Pair(inOrder.get(0), inOrder.get(inOrder.size() - 1), told);
	}

	/**
	 * What changes; at the same time, in this order.
	 */
	private enum Change {

		LEFT, ENTERED, TOLD

	}

	private record Event(long nanos, Change change, Section section) {

	}

	private record Pair(Section first, Section last, boolean told) {

	}

}
