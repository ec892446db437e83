package io.mongolock;

import java.time.Instant;

/**
 * A request to the holder of a lock to release it soon. The lock is not taken away, so
 * the holder decides what to do.
 *
 * @param reason the reason, for diagnostics
 * @param by who asks
 * @param at when the request was made, by the store's clock
 */
public record ReleaseRequest(String reason, String by, Instant at) {

	/** How many characters a reason may have. */
	public static final int MAX_REASON = 500;

}
