package io.mongolock.core;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Keeps leases for the next claims of this client, when the last holders are done. A kept
 * lease is a release that waits: its last holder stays among the holders of the
 * {@link ClientQueues queue} until the lease is handed to a waiter or released. Only
 * locks that linger are kept, so a client without such locks has {@link #NONE}.
 * Thread-safe.
 */
public interface Linger {

	/** Keeps nothing. */
	Linger NONE = new Linger() {
	};

	/** The maximum number of simultaneous requests. */
	int MAX_REQUESTS = 9;

	/**
	 * An attempt is about to ask for a lock that lingers.
	 * @return whether it pays to keep the lease when its holder is done
	 */
	default boolean asks(Attempt attempt, ClockReading now) {
		return false;
	}

	/**
	 * The store answered a claim for a lock that lingers. The answer may show that others
	 * recalled the lease that was last kept here, although this client was not notified.
	 * The next lease is then not kept, either.
	 * @param recalled the token of the lease that was recalled last, {@code null} if none
	 * was
	 * @param own the recall of the claim, {@code null} if its lease must not be idle
	 */
	default void answered(String key, @Nullable String recalled, @Nullable Recall own) {
	}

	/**
	 * The last holder is done with a lock that lingers. Keep its lease if that is allowed
	 * and nobody waits.
	 * @param ended is run after the end of the hold, before another holder has the lease
	 * @return whether the lease was kept; otherwise it must be handed over or released
	 */
	default boolean keep(HeldLock held, ClockReading now, Runnable ended) {
		return false;
	}

	/**
	 * An attempt waits for a lock in the local queue, or its lease was taken by force. If
	 * the lease is kept, hand it to the first waiter, or else have it released. Does not
	 * block.
	 */
	default void wanted(String key) {
	}

	/**
	 * Begin no more requests.
	 * @return the leases that were kept, which the caller must release
	 */
	default List<HeldLock> stop() {
		return List.of();
	}

	/**
	 * Wait until the server knows that this client no longer listens to recalls.
	 */
	default void awaitEnd(Duration timeout) {
	}

}
