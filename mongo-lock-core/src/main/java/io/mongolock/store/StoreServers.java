package io.mongolock.store;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The servers behind a store, as far as known. It may be out of date, so nothing is
 * promised to anybody by it. Thread-safe.
 */
public interface StoreServers {

	/** Nothing is known. */
	StoreServers UNKNOWN = new StoreServers() {

	};

	/**
	 * The server whose clock the leases are judged by.
	 * @return its address, or empty if it is unknown or one of several
	 */
	default Optional<String> primaryAddress() {
		return Optional.empty();
	}

	/**
	 * How many connections to a server there are at most.
	 * @return the size of the pool, or {@link Integer#MAX_VALUE} if it has no limit or
	 * that is unknown
	 */
	default int connections() {
		return Integer.MAX_VALUE;
	}

	/**
	 * Hear of servers whose clock differs from the others'.
	 * @param listener is called with the address of the server and how far it is ahead,
	 * negative if behind, zero once it agrees again or is none of them any more: at once
	 * for those that differ already, later on a thread that it must not hold up
	 */
	default void onClockOff(BiConsumer<String, Duration> listener) {
		// Never, unless the store hears the clocks of its servers
	}

	/**
	 * Hear of the first known primary, and of each that is elected later: what the one
	 * before has answered without the majority may be forgotten.
	 * @param listener is called on a thread that it must not hold up
	 */
	default void onPrimaryChange(Runnable listener) {
		// Never, unless the store hears of elections
	}

}
