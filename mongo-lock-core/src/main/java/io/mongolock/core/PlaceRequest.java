package io.mongolock.core;

import java.time.Duration;
import java.util.List;

import io.mongolock.core.QueuePlace.Look;
import io.mongolock.store.LeaseId;

/**
 * One request to the store for many places in the queue. Immutable.
 *
 * @param kind the kind of request
 * @param places the tokens in the queue
 * @param looks the places at the time of sending, none if the places are left
 * @param timeout how long the request may take
 */
public record PlaceRequest(Kind kind, List<LeaseId> places, List<Look> looks, Duration timeout) {

	/**
	 * Whether the request took so long that a single place may be the reason.
	 * @return whether half of its timeout or more has passed since it was sent
	 */
	boolean hung(ClockReading now) {
		return now.nanos() - this.looks.get(0).left() >= this.timeout.toNanos() / 2;
	}

	/**
	 * The kind of request.
	 */
	public enum Kind {

		/** Refresh the places, and see which entries are before them. */
		REFRESH,

		/** See which entries are before the places. */
		LOOK,

		/** Leave the places. */
		LEAVE

	}

}
