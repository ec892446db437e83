package io.mongolock.faults.harness.history;

import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * One critical section, and so one grant: how it began, its outcome for the caller, when
 * it ended or its process died (or it began, if the history knows neither), and when its
 * holder was notified of a loss, {@link #NEVER} if it was not.
 */
record Section(Entered entered, Outcome outcome, long leftNanos, long notifiedNanos) {

	static final long NEVER = Long.MAX_VALUE;

	int limit() {
		return this.entered.limit();
	}

	// Not even two of them at a time
	boolean excludes(Section other) {
		return Math.min(limit(), other.limit()) == 1;
	}

	long fence() {
		return this.entered.fence();
	}

	long enteredNanos() {
		return this.entered.nanos();
	}

	@Override
	public String toString() {
		return "fence " + fence() + " of " + this.entered.process() + "/" + this.entered.thread();
	}

}
