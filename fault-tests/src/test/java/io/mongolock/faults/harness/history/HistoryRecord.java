package io.mongolock.faults.harness.history;

/**
 * One line of a history. Times are {@link System#nanoTime()}, which all processes of a
 * machine share.
 */
public sealed interface HistoryRecord {

	/**
	 * A critical section begins.
	 *
	 * @param section tells this section from all others
	 * @param key what is locked
	 * @param fence the number of the grant
	 * @param limit how many may hold the lock together
	 * @param process who holds it
	 * @param thread on which thread
	 * @param nanos when
	 */
	record Entered(String section, String key, long fence, int limit, String process, String thread,
			long nanos) implements HistoryRecord {

	}

	/**
	 * A critical section ends.
	 *
	 * @param section which
	 * @param outcome what the caller was told
	 * @param nanos when
	 */
	record Left(String section, Outcome outcome, long nanos) implements HistoryRecord {

	}

	/**
	 * A claim was answered, one way or another.
	 *
	 * @param key what was asked for
	 * @param process who asked
	 * @param thread on which thread
	 * @param begunNanos when it asked
	 * @param endedNanos when it was answered
	 * @param outcome how
	 */
	record Waited(String key, String process, String thread, long begunNanos, long endedNanos,
			ClaimOutcome outcome) implements HistoryRecord {

	}

	/**
	 * A lock was granted.
	 *
	 * @param key what is locked
	 * @param fence the number of the grant
	 * @param limit how many may hold the lock together
	 * @param process to whom
	 * @param thread on which thread
	 * @param askedNanos when it asked
	 * @param grantedNanos when it knew
	 */
	record Granted(String key, long fence, int limit, String process, String thread, long askedNanos,
			long grantedNanos) implements HistoryRecord {

	}

	/**
	 * A holder was told that its lock is lost.
	 *
	 * @param key what was locked
	 * @param fence the number of the grant
	 * @param toldNanos when
	 */
	record Lost(String key, long fence, long toldNanos) implements HistoryRecord {

	}

	/**
	 * A holder asked whether the lock is still its own, and was told so.
	 *
	 * @param key what is locked
	 * @param fence the number of the grant
	 * @param nanos when it began to ask
	 */
	record Checked(String key, long fence, long nanos) implements HistoryRecord {
	}

	/**
	 * A process did not run: suspended by the test, or by want of a processor.
	 *
	 * @param process which
	 * @param fromNanos from when
	 * @param toNanos to when
	 */
	record Stalled(String process, long fromNanos, long toNanos) implements HistoryRecord {
	}

	/**
	 * A process was killed; written by the test that killed it, once it was gone.
	 *
	 * @param process which
	 * @param nanos when it was surely gone
	 */
	record Died(String process, long nanos) implements HistoryRecord {

	}

	/**
	 * What a counter guarded by a lock stood at in the end.
	 *
	 * @param name which
	 * @param expected the number of updates that were reported as done
	 * @param actual what it stood at
	 */
	record Counted(String name, long expected, long actual) implements HistoryRecord {

	}

	/**
	 * A lock that the store held in the end, when nobody should.
	 *
	 * @param key what is locked
	 * @param fence the number of the grant
	 * @param owner by whom, for diagnostics
	 */
	record Held(String key, long fence, String owner) implements HistoryRecord {

	}

	/**
	 * What the caller of a critical section was told.
	 */
	enum Outcome {

		/** Done under the lock. */
		COMPLETED,

		/** The lock was lost meanwhile. */
		LOST,

		/** The work or the store failed. */
		FAILED,

		/**
		 * Nothing: its process was killed. Found by the reader; written only when the
		 * work has ended, for the case that the process dies before it can write more.
		 */
		DIED,

		/** Nothing yet: the history ends before. Not written, but found by the reader. */
		OPEN

	}

	/**
	 * How a claim ended.
	 */
	enum ClaimOutcome {

		/** The lock was granted. */
		GRANTED,

		/** It was held by another until the wait ended. */
		DENIED,

		/** The store gave no answer. */
		UNKNOWN,

		/** The caller gave up. */
		CANCELLED

	}

}
