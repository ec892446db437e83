package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.history.Violation.Kind;

/**
 * Whether each grant of a key has a higher fence than all grants that were certainly
 * before it: those that had begun when it was asked for, and those that had begun when it
 * did and exclude it.
 */
final class FenceOrder {

	private FenceOrder() {
	}

	// All sections of one key, in the order in which they began
	static List<Violation> check(List<Section> sections) {
		List<Violation> violations = new ArrayList<>();
		NavigableMap<Long, Section> highestByTime = new TreeMap<>();
		Section highest = null;
		Section highestExclusive = null;
		for (Section section : sections) {
			Section before = higher((section.limit() == 1) ? highest : highestExclusive,
					value(highestByTime, section.entered().askedNanos()));
			if (before != null && before.fence() >= section.fence()) {
				violations.add(new Violation(Kind.FENCE, section.entered().key(), section.enteredNanos(),
						"fence of '" + section.entered().key() + "' did not rise: " + section + " after " + before));
			}
			highest = higher(highest, section);
			highestExclusive = (section.limit() == 1) ? higher(highestExclusive, section) : highestExclusive;
			highestByTime.put(section.enteredNanos(), highest);
		}
		return violations;
	}

	private static @Nullable Section value(NavigableMap<Long, Section> byTime, long nanos) {
		var entry = byTime.floorEntry(nanos);
		return (entry != null) ? entry.getValue() : null;
	}

	// The first of them if they are equal
	private static @Nullable Section higher(@Nullable Section one, @Nullable Section other) {
		return (one == null || (other != null && other.fence() > one.fence())) ? other : one;
	}

}
