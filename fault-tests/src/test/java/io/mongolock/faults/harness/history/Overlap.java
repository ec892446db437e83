package io.mongolock.faults.harness.history;

import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * Two critical sections of one key that were in force together beyond the limit.
 *
 * @param older the one of the lower fence
 * @param newer the other
 * @param nanos for how long
 * @param stalledNanos how long the older one could not notice, as its process did not run
 * @param told whether one of them had been told before that its lock is lost
 */
public record Overlap(Section older, Section newer, long nanos, long stalledNanos, boolean told) {

	static Overlap of(Section one, Section other, long nanos, boolean told) {
		return (one.fence() <= other.fence()) ? new Overlap(one, other, nanos, 0, told)
				: new Overlap(other, one, nanos, 0, told);
	}

	Overlap explainedBy(Stalls stalls) {
		long stalled = stalls.nanos(this.older.process(), this.older.enteredNanos(), this.older.leftNanos());
		return new Overlap(this.older, this.newer, this.nanos, stalled, this.told);
	}

	/**
	 * Whether no lease may do so: longer than the holder's process stood still, and
	 * before it was told.
	 * @return whether it is a violation
	 */
	boolean isForbidden() {
		return !this.told && this.nanos > this.stalledNanos;
	}

	/**
	 * Whether the holder that should have stopped never heard of it.
	 * @return whether its caller was told that all was well
	 */
	public boolean isSilent() {
		return !this.told && this.older.outcome() == Outcome.COMPLETED;
	}

}
