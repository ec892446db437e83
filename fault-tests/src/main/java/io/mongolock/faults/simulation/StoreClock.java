package io.mongolock.faults.simulation;

import java.time.Instant;

/**
 * The wall clock of whichever server is the primary. Remembers by how much it was ever
 * wrong: what counts is how far it ran ahead of an earlier reading of its own.
 */
final class StoreClock {

	private static final long EPOCH_MILLIS = 1_700_000_000_000L;

	private final Timeline timeline;

	private long offset;

	private long least;

	private long most;

	private long ahead;

	StoreClock(Timeline timeline, long offset) {
		this.timeline = timeline;
		this.offset = offset;
		this.least = offset;
		this.most = offset;
	}

	// Steps, or is the clock of another server
	void set(long offset) {
		this.offset = offset;
	}

	Instant now() {
		this.least = Math.min(this.least, this.offset);
		this.most = Math.max(this.most, this.offset);
		this.ahead = Math.max(this.ahead, this.offset - this.least);
		return Instant.ofEpochMilli(EPOCH_MILLIS + (this.timeline.now() + this.offset) / 1_000_000);
	}

	// By how much a lease may have ended early
	long ahead() {
		return this.ahead;
	}

	// By how much a lease may have ended late
	long spread() {
		return this.most - this.least;
	}

}
