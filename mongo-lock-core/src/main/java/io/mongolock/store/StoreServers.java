package io.mongolock.store;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The servers behind a store, as far as known. The knowledge may be out of date, so no
 * guarantee relies on it. Thread-safe.
 */
public interface StoreServers {

	/** Nothing is known. */
	StoreServers UNKNOWN = new StoreServers() {

	};

	/**
	 * The server whose clock decides when leases end.
	 * @return its address, or empty if it is unknown or one of several
	 */
	default Optional<String> primaryAddress() {
		return Optional.empty();
	}

	/**
	 * The maximum number of connections to a server.
	 * @return the size of the pool, or {@link Integer#MAX_VALUE} if it has no limit or
	 * that is unknown
	 */
	default int connections() {
		return Integer.MAX_VALUE;
	}

	/**
	 * Have a listener notified of servers whose clock differs from the other servers'
	 * clocks.
	 * @param listener is called with the address of the server and how far its clock is
	 * ahead. The time is negative if the clock is behind, and zero once it agrees again
	 * or the server is no longer one of them. For servers that differ already, the
	 * listener is called at once; later it is called on a thread that it must not hold up
	 */
	default void onClockOff(BiConsumer<String, Duration> listener) {
		// Only a store that knows the clocks of its servers calls the listener
	}

	/**
	 * Have a listener notified of the first known primary, and of each primary that is
	 * elected later. Writes that the primary before it confirmed without the majority may
	 * be lost.
	 * @param listener is called on a thread that it must not hold up
	 */
	default void onPrimaryChange(Runnable listener) {
		// Only a store that hears of elections calls the listener
	}

}
