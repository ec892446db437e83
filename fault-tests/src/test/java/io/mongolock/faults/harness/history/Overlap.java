package io.mongolock.faults.harness.history;

import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * Two critical sections of one key that were in force together beyond the limit.
 *
 * @param older the one of the lower fence
 * @param newer the other
 * @param nanos for how long
 * @param told whether one of them had been told before that its lock is lost
 */
public record Overlap(Section older, Section newer, long nanos, boolean told) {

	static Overlap of(Section one, Section other, long nanos, boolean told) {
		return (one.fence() <= other.fence()) ? new Overlap(one, other, nanos, told)
				: new Overlap(other, one, nanos, told);
	}

	/**
	 * Whether the holder that should have stopped never heard of it.
	 * @return whether its caller was told that all was well
	 */
	public boolean isSilent() {
		return !this.told && this.older.outcome() == Outcome.COMPLETED;
	}

}
