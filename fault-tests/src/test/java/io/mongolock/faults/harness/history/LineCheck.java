package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Judges by what the store answered whether grants followed the line: whoever was granted
 * a lock has passed nobody who stood before it and still does, unless there was room for
 * all of them; and who has no place has passed everybody. Not thread-safe.
 */
public final class LineCheck {

	private final Map<String, Set<String>> ahead = new HashMap<>();

	private final Map<String, Integer> waited = new HashMap<>();

	private final List<String> passings = new ArrayList<>();

	// All answers; those of each attempt in their order
	public LineCheck(List<LineClaim> history) {
		history.forEach(this::add);
	}

	private void add(LineClaim claim) {
		if (claim.granted()) {
			grant(claim);
		}
		else if (claim.isInLine()) {
			this.ahead.put(claim.token(), claim.ahead());
		}
	}

	private void grant(LineClaim grant) {
		Set<String> ahead = this.ahead.remove(grant.token());
		if (ahead != null && !ahead.isEmpty()) {
			this.waited.merge(grant.key(), 1, Integer::sum);
		}
		List<LineClaim.Entry> passed = grant.line()
			.stream()
			.filter((entry) -> ahead == null || ahead.contains(entry.token()))
			.toList();
		int limit = Stream.concat(grant.holders().stream(), passed.stream())
			.mapToInt(LineClaim.Entry::limit)
			.min()
			.orElseThrow();
		if (!passed.isEmpty() && grant.holders().size() + passed.size() > limit) {
			this.passings
				.add("On '" + grant.key() + "' " + grant.token() + " passed " + passed + " beside " + grant.holders());
		}
	}

	// Who was granted out of turn
	public List<String> passings() {
		return this.passings;
	}

	// How many were granted a lock after they had stood in line behind others
	public int waited(String key) {
		return this.waited.getOrDefault(key, 0);
	}

}
