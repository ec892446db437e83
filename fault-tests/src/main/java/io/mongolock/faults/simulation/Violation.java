package io.mongolock.faults.simulation;

import java.util.function.Supplier;

/**
 * A promise that was broken. Ends the history.
 */
final class Violation extends RuntimeException {

	Violation(Kind kind, String message) {
		super(kind + ": " + message);

	}

	static void check(boolean kept, Kind kind, Supplier<String> complaint) {
		if (!kept) {
			throw new Violation(kind, complaint.get());
		}
	}

	enum Kind {

		/** Acts of two holders, further apart than clocks and pauses explain. */
		OVERLAP,

		/**
		 * More holders together than one of them allows, for example a reader and a
		 * writer.
		 */
		LIMIT,

		/** A fence that is not greater than the one before. */
		FENCE,

		/**
		 * Granted to another before the holder's own deadline, or before it was notified.
		 */
		TOLD_LATE,

		/** A lease relied on again after it had run out. */
		REVIVED,

		/** Work begun under a lock that was known to be lost. */
		BEGUN_LOST,

		/** A lock held by nobody for longer than a ttl. */
		GHOST,

		/** A holder was notified of something that is not true. */
		OUTCOME,

		/** A lock that is free, or whose holder is dead, was not granted in time. */
		PROGRESS,

		/** Lost or failed although nothing went wrong. */
		NEEDLESS,

		/** Granted before somebody who had come earlier and still waited. */
		ORDER,

		/** A request of a client that was stopped. */
		STOPPED,

		/** More renewals underway than there may be. */
		STORM,

		/** A lock kept from other clients longer than a turn lasts. */
		STREAK,

		/** A lock that had to stay taken was granted before. */
		MIN_HOLD,

		/** A lease that nobody holds, kept from others who want the lock. */
		KEPT

	}

}
