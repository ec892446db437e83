package io.mongolock.faults.harness.history;

import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * One critical section, and so one grant.
 *
 * @param entered when it began, and whose it is
 * @param outcome what the caller was told
 * @param leftNanos when it ended; when its process died, if that came first; when it
 * began, if the history knows neither
 * @param toldNanos when its holder was told of a loss, {@link #NEVER} if it was not
 */
record Section(Entered entered, Outcome outcome, long leftNanos, long toldNanos) {

	static final long NEVER = Long.MAX_VALUE;

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
