package io.mongolock.faults.harness.worker;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;

/**
 * Writes down one critical section from the moment that its lock is asked for. Used by
 * one thread at a time.
 */
final class OpenSection {

	private final long asked = System.nanoTime();

	private final HistoryWriter history;

	private @Nullable Entered entered;

	private long ended;

	OpenSection(HistoryWriter history) {
		this.history = history;
	}

	void enter(LockHandle handle) {
		Entered granted = new Entered(handle.key(), handle.fence(), LockWorker.PROCESS,
				Thread.currentThread().getName(), this.asked, System.nanoTime());
		this.history.write(granted);
		this.entered = granted;
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
