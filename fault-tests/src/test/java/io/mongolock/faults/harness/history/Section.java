package io.mongolock.faults.harness.history;

import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * One critical section.
 *
 * @param key what was locked
 * @param fence the number of the grant
 * @param limit how many may hold the lock together
 * @param process who held it
 * @param thread on which thread
 * @param enteredNanos when it began
 * @param leftNanos when it ended; when its process died, if that came first; when it
 * began, if the history knows neither
 * @param outcome what the caller was told
 */
public record Section(String key, long fence, int limit, String process, String thread, long enteredNanos,
		long leftNanos, Outcome outcome) {

	static Section of(Entered entered, long leftNanos, Outcome outcome) {
		return new Section(entered.key(), entered.fence(), entered.limit(), entered.process(), entered.thread(),
				entered.nanos(), leftNanos, outcome);
	}

	/**
	 * Who held it, for diagnostics.
	 * @return process and thread
	 */
	public String holder() {
		return this.process + "/" + this.thread;
	}

}
