package io.mongolock.faults.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fences that holders were given, by the store or by each other: in the order of
 * time, no matter who gave them, those of a key rise.
 */
final class FenceOrder {

	private final List<Given> given = new ArrayList<>();

	void add(String key, long fence, long at, Object to) {
		this.given.add(new Given(key, fence, at, to));
	}

	void check() {
		Map<String, Given> last = new HashMap<>();
		this.given.sort(Comparator.comparingLong(Given::at));
		for (Given next : this.given) {
			Given before = last.put(next.key(), next);
			Violation.check(before == null || before.fence() < next.fence(), Violation.Kind.FENCE,
					() -> next + " after " + before);
		}
	}

	private record Given(String key, long fence, long at, Object to) {

		@Override
		public String toString() {
			return "fence " + this.fence + " given to " + this.to + " at " + this.at / 1_000_000 + "ms";
		}

	}

}
