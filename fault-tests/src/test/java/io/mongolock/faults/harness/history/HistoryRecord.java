package io.mongolock.faults.harness.history;

import java.io.Serializable;

/**
 * What a process wrote down. Times are {@link System#nanoTime()}, which all processes of
 * a machine share; fences are the numbers of grants, all of them exclusive.
 */
public sealed interface HistoryRecord extends Serializable {

	/** A lock was granted some time after it was asked for, and its section begins. */
	record Entered(String key, long fence, String process, String thread, long askedNanos,
			long nanos) implements HistoryRecord {
	}

	/** A section ends. Of several, the last one counts. */
	record Left(Entered section, Outcome outcome, long nanos) implements HistoryRecord {
	}

	/** A holder was notified that its lock is lost. */
	record Lost(String key, long fence, long nanos) implements HistoryRecord {
	}

	/** A holder that began to ask then was told that the lock is still its own. */
	record Checked(String key, long fence, long nanos) implements HistoryRecord {
	}

	/** A process did not run: suspended by the test, or by want of a processor. */
	record Stalled(String process, long fromNanos, long toNanos) implements HistoryRecord {
	}

	/** A process was killed; written by the test that did it, once it was gone. */
	record Died(String process, long nanos) implements HistoryRecord {
	}

	/** What a guarded counter stood at in the end. */
	record Counted(String key, long expected, long actual) implements HistoryRecord {
	}

	/** A lock that the store held in the end. */
	record Held(String key, long fence, String owner) implements HistoryRecord {
	}

	/**
	 * What the caller of a section was told.
	 */
	enum Outcome {

		/** Done under the lock. */
		COMPLETED,

		/** The lock was lost meanwhile. */
		LOST,

		/** The work or the store failed. */
		FAILED,

		/**
		 * Nothing: its process was killed. Written when the work has ended, for the case
		 * that the process dies before it can write more.
		 */
		DIED,

		/** Nothing yet: the history ends before. Never written. */
		OPEN

	}

}
