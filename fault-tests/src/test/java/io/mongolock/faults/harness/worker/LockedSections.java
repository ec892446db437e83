package io.mongolock.faults.harness.worker;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;

/**
 * Critical sections that add to a counter under a lock, all written down. Thread-safe.
 */
record LockedSections(LockOperations locks, HistoryWriter history, GuardedCounter counter) {

	/** How long work goes on without a look at whether the lock is still held. */
	private static final long CHECK_MILLIS = 5;

	// The key is the name of the counter as well
	SectionCounts run(String key, long workMillis) {
		OpenSection section = new OpenSection(this.history);
		try {
			this.locks.execute(LockRequest.of(key), (handle) -> {
				section.enter(handle);
				try {
					add(handle, workMillis);
				}
				finally {
					section.workEnded();
				}
				return handle.fence();
			});
			section.leave(Outcome.COMPLETED);
			return SectionCounts.COMPLETED;
		}
		catch (LockUnavailableException ex) {
			return SectionCounts.DENIED;
		}
		catch (LockLostException ex) {
			section.leave(Outcome.LOST);
			return (section.isEntered()) ? SectionCounts.LOST : SectionCounts.FAILED;
		}
		catch (Exception ex) {
			section.leave(Outcome.FAILED);
			return SectionCounts.FAILED;
		}
	}

	// What is no longer guaranteed held is not written under
	private void add(LockHandle handle, long workMillis) throws InterruptedException {
		long value = this.counter.get(handle.key());
		if (work(handle, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(workMillis))) {
			this.counter.set(handle.key(), value + 1);
		}
	}

	private boolean work(LockHandle handle, long end) throws InterruptedException {
		long asked = System.nanoTime();
		@Nullable Long lastHeld = null;
		while (handle.isHeld() && asked - end < 0) {
			lastHeld = asked;
			Thread.sleep(Math.min(CHECK_MILLIS, 1 + TimeUnit.NANOSECONDS.toMillis(end - asked)));
			asked = System.nanoTime();
		}
		if (lastHeld != null) {
			this.history.write(new Checked(handle.key(), handle.fence(), lastHeld));
		}
		return asked - end >= 0;
	}

	/**
	 * Writes down one critical section from the moment that its lock is asked for. Used
	 * by one thread at a time.
	 */
	static final class OpenSection {

		private final long asked = System.nanoTime();

		private final HistoryWriter history;

		private @Nullable Entered entered;

		private long ended;

		OpenSection(HistoryWriter history) {
			this.history = history;
		}

		void enter(LockHandle handle) {
			Entered granted = new Entered(handle.key(), handle.fence(), HistoryWriter.PROCESS,
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

}
