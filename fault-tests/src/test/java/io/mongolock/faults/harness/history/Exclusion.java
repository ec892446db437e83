package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;

import io.mongolock.faults.harness.history.Violation.Kind;

/**
 * Whether no more sections of one key went on at a time than the smallest limit among
 * them. Not thread-safe.
 */
final class Exclusion {

	private final List<Overlap> overlaps = new ArrayList<>();

	private final List<Violation> violations = new ArrayList<>();

	private final Stalls stalls;

	Exclusion(Stalls stalls) {
		this.stalls = stalls;
	}

	// All of one key, in the order in which they began
	void check(List<Section> sections) {
		List<Section> active = new ArrayList<>();
		for (Section section : sections) {
			active.removeIf((other) -> other.leftNanos() <= section.enteredNanos());
			if (section.leftNanos() > section.enteredNanos()) {
				check(section, active.stream().map((other) -> Overlap.of(other, section, this.stalls)).toList());
				active.add(section);
			}
		}
	}

	private void check(Section section, List<Overlap> beside) {
		beside.stream().filter(Overlap::isOfTwo).forEach(this.overlaps::add);
		// A holder that stood still or was notified is not counted
		List<Section> others = beside.stream()
			.filter(Overlap::isForbidden)
			.map((overlap) -> (overlap.older() == section) ? overlap.newer() : overlap.older())
			.toList();
		int limit = others.stream().mapToInt(Section::limit).reduce(section.limit(), Math::min);
		if (limit > 1 && others.size() >= limit) {
			this.violations.add(new Violation(Kind.OVERLAP, section.entered().key(), section.enteredNanos(),
					(others.size() + 1) + " at a time on '" + section.entered().key() + "', where " + limit
							+ " may be: " + section + " beside " + others));
		}
	}

	// Of sections that exclude each other
	List<Overlap> overlaps() {
		return this.overlaps;
	}

	List<Violation> violations() {
		List<Violation> all = new ArrayList<>(this.violations);
		this.overlaps.stream()
			.filter(Overlap::isForbidden)
			.map((overlap) -> new Violation(Kind.OVERLAP, overlap.newer().entered().key(),
					Math.max(overlap.older().enteredNanos(), overlap.newer().enteredNanos()), overlap.toString()))
			.forEach(all::add);
		return all;
	}

}
