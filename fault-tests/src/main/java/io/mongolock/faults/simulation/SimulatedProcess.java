package io.mongolock.faults.simulation;

import io.mongolock.core.ClockReading;
import io.mongolock.faults.simulation.Coverage.Event;

/**
 * A process: its clocks, and whatever stops it. All its code runs by {@link #run} and
 * {@link #after}, which wait while it stands still.
 */
abstract class SimulatedProcess {

	final String name;

	final Timeline timeline;

	final Judge judge;

	private boolean crashed;

	private long frozenUntil;

	private long cutUntil;

	private long suspended;

	private long suspendedFrom = Long.MAX_VALUE;

	private long wallOffset;

	boolean asksOldPrimary;

	/** Whether it was ever stopped in an orderly way. */
	boolean wasStopped;

	SimulatedProcess(String name, Timeline timeline, Judge judge) {
		this.name = name;
		this.timeline = timeline;
		this.judge = judge;
	}

	ClockReading now() {
		long nanos = Math.min(this.timeline.now(), this.suspendedFrom) - this.suspended;
		return new ClockReading(nanos, (this.timeline.now() + this.wallOffset) / 1_000_000);
	}

	void run(Runnable action) {
		after(0, action);
	}

	// On its own clock
	void after(long nanos, Runnable action) {
		long due = now().nanos() + nanos;
		this.timeline.after(nanos, () -> wake(due, action));
	}

	// What others of the process notice of it
	void afterEach() {
	}

	private void wake(long due, Runnable action) {
		if (this.crashed) {
			return;
		}
		if (this.frozenUntil > this.timeline.now()) {
			// Whatever waited runs in any order
			long turn = (this.timeline.chance(0.5)) ? 0 : 1 + this.timeline.between(0, 1_000_000);
			this.timeline.at(this.frozenUntil + turn, () -> wake(due, action));
			return;
		}
		long early = due - now().nanos();
		if (early > 0) {
			this.timeline.after(early, () -> wake(due, action));
			return;
		}
		action.run();
		afterEach();
	}

	// Stands still while the clocks run on
	void pause(long nanos) {
		freeze(nanos);
		this.judge.stops(this, "pauses", Event.PAUSED_HOLDING);
	}

	// Stands still together with the monotonic clock
	void suspend(long nanos) {
		if (this.frozenUntil <= this.timeline.now()) {
			freeze(nanos);
			this.suspendedFrom = this.timeline.now();
			this.timeline.after(nanos, () -> {
				this.suspended += nanos;
				this.suspendedFrom = Long.MAX_VALUE;
			});
			this.judge.stops(this, "is suspended", Event.SUSPENDED_HOLDING);
		}
	}

	private void freeze(long nanos) {
		this.frozenUntil = Math.max(this.frozenUntil, this.timeline.now() + nanos);
		this.timeline.at(this.frozenUntil, () -> this.judge.continues(this));
	}

	void crash() {
		this.crashed = true;
		this.judge.crashes(this);
	}

	void cut(long nanos) {
		this.cutUntil = this.timeline.now() + nanos;
		this.judge.event(this.name, "is cut off", null);
	}

	void stepWall(long nanos) {
		this.wallOffset += nanos;
		this.judge.setsWallClock(this);
	}

	boolean isCut() {
		return cutFor() > 0;
	}

	long cutFor() {
		return Math.max(0, this.cutUntil - this.timeline.now());
	}

	long frozenUntil() {
		return this.frozenUntil;
	}

	boolean isCrashed() {
		return this.crashed;
	}

	boolean wasSuspended() {
		return this.suspended > 0 || this.suspendedFrom != Long.MAX_VALUE;
	}

}
