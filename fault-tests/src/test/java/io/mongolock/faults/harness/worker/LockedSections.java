package io.mongolock.faults.harness.worker;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Failed;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;

/**
 * Critical sections that do work under a lock, all written down. Thread-safe.
 */
record LockedSections(LockOperations locks, HistoryWriter history) {

	/** How long work goes on without a look at whether the lock is still held. */
	private static final long CHECK_MILLIS = 5;

	private static final int MAX_MESSAGE = 300;

	SectionCounts run(LockRequest request, Work work) {
		Integer limit = request.settings().limit();
		return run(request.key(), (limit != null) ? limit : 1, (section) -> this.locks.execute(request, (handle) -> {
			if (section.enter(handle)) {
				try {
					work.under(handle);
				}
				finally {
					section.workEnded();
				}
			}
			return handle.fence();
		}));
	}

	// That asks for the lock, enters, works, and ends the lock
	SectionCounts run(String key, int limit, Course course) {
		OpenSection section = new OpenSection(this.history, limit);
		try {
			course.take(section);
			section.leave(Outcome.COMPLETED);
			return SectionCounts.COMPLETED;
		}
		catch (LockUnavailableException ex) {
			return failed(key, ex, SectionCounts.DENIED);
		}
		catch (LockLostException ex) {
			section.leave(Outcome.LOST);
			return failed(key, ex, (section.isEntered()) ? SectionCounts.LOST : SectionCounts.FAILED);
		}
		catch (Exception ex) {
			section.leave(Outcome.FAILED);
			return failed(key, ex, SectionCounts.FAILED);
		}
	}

	private SectionCounts failed(String key, Exception ex, SectionCounts counts) {
		String failure = ex.toString().lines().findFirst().orElse("");
		this.history.write(new Failed(key, failure.substring(0, Math.min(MAX_MESSAGE, failure.length())),
				HistoryWriter.PROCESS, System.nanoTime()));
		return counts;
	}

	// Whether it went on for that long, all the time under the lock
	boolean work(LockHandle handle, long millis) throws InterruptedException {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
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
	 * The work under a lock.
	 */
	@FunctionalInterface
	interface Work {

		void under(LockHandle handle) throws Exception;

	}

	/**
	 * One section from the claim to the release.
	 */
	@FunctionalInterface
	interface Course {

		void take(OpenSection section) throws Exception;

	}

}
