package io.mongolock.faults.harness.history;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.mongolock.faults.harness.history.HistoryRecord.Granted;

/**
 * A grant as far as it was seen: the store gave it some time from asked to known.
 *
 * @param fence its number
 * @param limit how many may hold the lock together
 * @param process to whom
 * @param thread on which thread
 * @param askedNanos when it was asked for; when it was known, if that was not written
 * @param knownNanos when it was known
 */
record Grant(long fence, int limit, String process, String thread, long askedNanos, long knownNanos) {

	/**
	 * The grants of one key.
	 * @param grants those that were written down
	 * @param sections the critical sections, which stand for grants that were not
	 * @return the grants
	 */
	static List<Grant> of(Collection<Granted> grants, Collection<Section> sections) {
		if (!grants.isEmpty()) {
			return grants.stream()
				.map((grant) -> new Grant(grant.fence(), grant.limit(), grant.process(), grant.thread(),
						grant.askedNanos(), grant.grantedNanos()))
				.toList();
		}
		// a holder that enters again under the lock it has is not granted another
		Map<String, Grant> first = new LinkedHashMap<>();
		for (Section section : sections) {
			first.merge(section.process() + "/" + section.fence(),
					new Grant(section.fence(), section.limit(), section.process(), section.thread(),
							section.enteredNanos(), section.enteredNanos()),
					(one, other) -> (one.knownNanos() <= other.knownNanos()) ? one : other);
		}
		return List.copyOf(first.values());
	}

	/**
	 * The earliest time that the store can have granted it, as far as order goes. An
	 * exclusive lock is known to be granted before the next one can be.
	 * @return nanoseconds
	 */
	long earliestNanos() {
		return (this.limit == 1) ? this.knownNanos : this.askedNanos;
	}

	String holder() {
		return this.process + "/" + this.thread;
	}

	boolean excludes(Grant other) {
		return this.limit == 1 || other.limit == 1;
	}

}
