package io.mongolock.faults.harness.history;

import java.util.Collection;
import java.util.List;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;

/**
 * A holder that asked after the next grant was known, and was told that the lock is still
 * its own. Nothing excuses that: a process that stood still asks late, and is told the
 * truth.
 *
 * @param check what it was told
 * @param next the next grant
 */
record FalseCheck(Checked check, Grant next) {

	static List<FalseCheck> find(Collection<Checked> checks, Collection<Grant> grants) {
		return checks.stream()
			.flatMap((check) -> grants.stream()
				.filter((grant) -> grant.limit() == 1 && grant.fence() > check.fence()
						&& grant.knownNanos() < check.nanos())
				.limit(1)
				.map((grant) -> new FalseCheck(check, grant)))
			.toList();
	}

	@Override
	public String toString() {
		return "false answer: '" + this.check.key() + "', fence " + this.check.fence() + ", was said to be held "
				+ HistoryReport.millis(this.check.nanos() - this.next.knownNanos()) + " after the grant of fence "
				+ this.next.fence();
	}

}
