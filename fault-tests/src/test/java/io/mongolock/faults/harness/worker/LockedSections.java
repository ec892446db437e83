package io.mongolock.faults.harness.worker;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;

/**
 * Critical sections that add to a counter under a lock, all written down. Thread-safe.
 */
final class LockedSections {

	/** How long work goes on without a look at whether the lock is still held. */
	private static final long CHECK_MILLIS = 5;

	private final LockOperations locks;

	private final HistoryWriter history;

	private final GuardedCounter counter;

	LockedSections(LockOperations locks, HistoryWriter history, GuardedCounter counter) {
		this.locks = locks;
		this.history = history;
		this.counter = counter;
	}

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

}
