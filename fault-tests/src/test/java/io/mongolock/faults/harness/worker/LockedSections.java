package io.mongolock.faults.harness.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.ClaimOutcome;
import io.mongolock.faults.harness.history.HistoryRecord.Granted;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Waited;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.faults.harness.history.HistoryWriter.OpenSection;

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

	/**
	 * One section.
	 * @param key what is locked, and the name of the counter
	 * @param workMillis how long the work takes at least
	 * @return how it ended
	 */
	SectionCounts run(String key, long workMillis) {
		long asked = System.nanoTime();
		AtomicReference<@Nullable Work> work = new AtomicReference<>();
		try {
			this.locks.execute(LockRequest.of(key), (handle) -> {
				work.set(enter(handle, asked));
				try {
					add(handle, workMillis);
				}
				finally {
					finish(work);
				}
				return handle.fence();
			});
			return end(work.get(), key, asked, Outcome.COMPLETED, ClaimOutcome.GRANTED);
		}
		catch (LockLostException ex) {
			return end(work.get(), key, asked, Outcome.LOST, ClaimOutcome.UNKNOWN);
		}
		catch (LockUnavailableException ex) {
			return end(work.get(), key, asked, Outcome.FAILED, ClaimOutcome.DENIED);
		}
		catch (Exception ex) {
			return end(work.get(), key, asked, Outcome.FAILED, ClaimOutcome.UNKNOWN);
		}
	}

	/**
	 * Write that a lock was granted and its section begins.
	 * @param handle the lock
	 * @param asked when it was asked for
	 * @return the section
	 */
	OpenSection granted(LockHandle handle, long asked) {
		long granted = System.nanoTime();
		String thread = Thread.currentThread().getName();
		OpenSection section = this.history.enter(handle.key(), handle.fence(), 1);
		this.history
			.write(new Granted(handle.key(), handle.fence(), 1, this.history.process(), thread, asked, granted));
		waited(handle.key(), asked, ClaimOutcome.GRANTED);
		return section;
	}

	/**
	 * Write that a claim ended now.
	 * @param key what was asked for
	 * @param asked when
	 * @param outcome how it ended
	 */
	void waited(String key, long asked, ClaimOutcome outcome) {
		this.history.write(new Waited(key, this.history.process(), Thread.currentThread().getName(), asked,
				System.nanoTime(), outcome));
	}

	private Work enter(LockHandle handle, long asked) {
		return new Work(granted(handle, asked), 0);
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

	private static void finish(AtomicReference<@Nullable Work> work) {
		Work done = work.get();
		if (done != null) {
			long now = System.nanoTime();
			done.section().workEnded(now);
			work.set(new Work(done.section(), now));
		}
	}

	private SectionCounts end(@Nullable Work work, String key, long asked, Outcome outcome, ClaimOutcome claim) {
		if (work == null) {
			waited(key, asked, claim);
			return (claim == ClaimOutcome.DENIED) ? new SectionCounts(0, 0, 1, 0) : new SectionCounts(0, 0, 0, 1);
		}
		// the work ended before the lock was released, and that is what counts
		work.section().leave(outcome, (work.leftNanos() != 0) ? work.leftNanos() : System.nanoTime());
		return switch (outcome) {
			case COMPLETED -> new SectionCounts(1, 0, 0, 0);
			case LOST -> new SectionCounts(0, 1, 0, 0);
			default -> new SectionCounts(0, 0, 0, 1);
		};
	}

	private record Work(OpenSection section, long leftNanos) {

	}

}
