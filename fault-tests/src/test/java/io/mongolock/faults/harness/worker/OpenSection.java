package io.mongolock.faults.harness.worker;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.store.LeaseControl;

/**
 * Writes down one critical section from the moment that its lock is asked for. Used by
 * one thread at a time.
 */
final class OpenSection {

	private final long asked = System.nanoTime();

	private final HistoryWriter history;

	private final int limit;

	private @Nullable Entered entered;

	private long ended;

	// As many as the limit may hold the lock together with this one
	OpenSection(HistoryWriter history, int limit) {
		this.history = history;
		this.limit = limit;
	}

	// Not if the lock is not held any more, after which nobody may work. The time is from
	// before that look: a process that stood still between the two would be said to have
	// entered when another held
	boolean enter(LockHandle handle) {
		long now = System.nanoTime();
		if (!handle.isHeld()) {
			return false;
		}
		Entered granted = new Entered(handle.key(), this.limit, handle.fence(),
				((LeaseControl) handle).lease().leaseToken(), HistoryWriter.PROCESS, Thread.currentThread().getName(),
				this.asked, now);
		this.history.write(granted);
		this.entered = granted;
		return true;
	}

	boolean isEntered() {
		return this.entered != null;
	}

	// That, and not the release that follows, is the end that counts
	void workEnded() {
		this.ended = System.nanoTime();
		leave(Outcome.DIED);
	}

	void leave(Outcome outcome) {
		if (this.entered != null) {
			this.history.write(new Left(this.entered, outcome, this.ended));
		}
	}

}
