package io.mongolock.faults.harness.history;

import java.io.Serializable;
import java.util.List;

/**
 * What a process wrote down. Times are {@link System#nanoTime()}, which all processes of
 * a machine share; fences are the numbers of grants.
 */
public sealed interface HistoryRecord extends Serializable {

	/**
	 * A lock was granted some time after it was asked for, and its section begins: at
	 * that time it was held. The limit is how many may hold the lock together with it;
	 * the grant is the token of the lease.
	 */
	record Entered(String key, int limit, long fence, String grant, String process, String thread, long askedNanos,
			long nanos) implements HistoryRecord {

		// An exclusive one whose lease nobody looks for
		Entered(String key, long fence, String process, String thread, long askedNanos, long nanos) {
			this(key, 1, fence, "", process, thread, askedNanos, nanos);
		}

	}

	/** A section ends. Of several, the last one counts. */
	record Left(Entered section, Outcome outcome, long nanos) implements HistoryRecord {
	}

	/** A holder was notified that its lock is lost. */
	record Lost(String key, long fence, long nanos) implements HistoryRecord {
	}

	/** A holder that began to ask then got the answer that the lock is still its own. */
	record Checked(String key, long fence, long nanos) implements HistoryRecord {
	}

	/** A process did not run: suspended by the test, or by want of a processor. */
	record Stalled(String process, long fromNanos, long toNanos) implements HistoryRecord {
	}

	/** A process was killed; written by the test that did it, once it was gone. */
	record Died(String process, long nanos) implements HistoryRecord {
	}

	/** A fault befell others than workers, for example a server, until it was over. */
	record Fault(String what, long fromNanos, long toNanos) implements HistoryRecord {
	}

	/** Something that was asked for was not done, or its outcome is unknown. */
	record Failed(String key, String failure, String process, long nanos) implements HistoryRecord {
	}

	/**
	 * A document was read under a lock, between those times; the last write that it
	 * showed, or nothing.
	 */
	record Read(String key, long fence, String last, long fromNanos, long toNanos) implements HistoryRecord {
	}

	/** A write under a lock begins, by one who knew the write before as the last one. */
	record Writing(String key, long fence, String before, String id, long nanos) implements HistoryRecord {
	}

	/** A write under a lock was acknowledged. */
	record Wrote(String key, long fence, String id, long nanos) implements HistoryRecord {
	}

	/** The writes that a document shows in the end. */
	record Stored(String key, List<String> ids) implements HistoryRecord {
	}

	/** Numbers of a sequence were given out, the last one included. */
	record Numbered(String sequence, long first, long last, String process, long nanos) implements HistoryRecord {
	}

	/**
	 * Which leases ran by the store, between those times, and a majority had all of that:
	 * it confirmed writes before and after, of one primary.
	 */
	record Looked(List<Lease> leases, long nanos, long untilNanos) implements HistoryRecord {
	}

	/** A lease as the store has it. */
	record Lease(String key, String grant, String process, long ttlNanos) implements Serializable {
	}

	/** An attempt of a tick of a job begins, in milliseconds by the server. */
	record Began(String job, long tick, int attempt, long fence, String process, long nanos) implements HistoryRecord {
	}

	/** What a guarded counter stood at in the end. */
	record Counted(String key, long expected, long actual) implements HistoryRecord {
	}

	/** A lock that the store held in the end. */
	record Held(String key, long fence, String owner) implements HistoryRecord {
	}

	/**
	 * The outcome of a section for its caller.
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
