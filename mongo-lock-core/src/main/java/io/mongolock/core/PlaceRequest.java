package io.mongolock.core;

import java.time.Duration;
import java.util.List;

import io.mongolock.store.LeaseId;

/**
 * One request to the store for many places in the queue. Immutable.
 *
 * @param kind what is asked for
 * @param places the tokens in the queue
 * @param looks the places as they stand when it leaves, unless they are left
 * @param timeout how long it may take
 */
public record PlaceRequest(Kind kind, List<LeaseId> places, List<Look> looks, Duration timeout) {

	/**
	 * Whether it took so long that a single place may be why.
	 * @return whether half of its time or more is over since it left
	 */
	boolean hung(ClockReading now) {
		return now.nanos() - this.looks.get(0).left() >= this.timeout.toNanos() / 2;
	}

	/**
	 * A place at the time when a request leaves.
	 *
	 * @param place the place
	 * @param left the time
	 * @param freed how many hints had come until then
	 */
	record Look(QueuePlace place, long left, int freed) {

	}

	/**
	 * The kind of request.
	 */
	public enum Kind {

		/** Begin the life of the places anew, and see who is before them. */
		REFRESH,

		/** See who is before them. */
		LOOK,

		/** Leave them. */
		LEAVE

	}

}
