package io.mongolock.faults.harness.history;

import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * Two critical sections of one key at a time, the one of the lower fence first; for how
 * long before one of them was notified that its lock is lost, for how long after that,
 * and how long the older one could not notice, because its process did not run.
 */
record Overlap(Section older, Section newer, long unawareNanos, long notifiedNanos, long stalledNanos) {

	static Overlap of(Section one, Section other, Stalls stalls) {
		Section older = (one.fence() <= other.fence()) ? one : other;
		Section newer = (older == one) ? other : one;
		long from = Math.max(one.enteredNanos(), other.enteredNanos());
		long to = Math.min(one.leftNanos(), other.leftNanos());
		long notified = Math.max(from, Math.min(to, Math.min(one.notifiedNanos(), other.notifiedNanos())));
		return new Overlap(older, newer, notified - from, to - notified,
				stalls.nanos(older.entered().process(), older.enteredNanos(), older.leftNanos()));
	}

	// Of sections that exclude each other
	boolean isOfTwo() {
		return this.older.excludes(this.newer);
	}

	// No lease may do so: longer than its process stood still, and before it was notified
	boolean isForbidden() {
		return this.unawareNanos > this.stalledNanos;
	}

	// The holder that should have stopped never heard of it
	boolean isSilent() {
		return this.unawareNanos > 0 && this.older.outcome() == Outcome.COMPLETED;
	}

	@Override
	public String toString() {
		return "overlap of " + Spread.millis(this.unawareNanos) + " on '" + this.older.entered().key() + "': "
				+ this.older + " (ended " + this.older.outcome() + ", not running for "
				+ Spread.millis(this.stalledNanos) + ") with " + this.newer;
	}

}
