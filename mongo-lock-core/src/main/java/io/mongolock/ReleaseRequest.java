package io.mongolock;

import java.time.Instant;

/**
 * Somebody asks the holder of a lock to release it soon. Nothing is taken away: the
 * holder decides.
 *
 * @param reason why, for diagnostics
 * @param by who asks
 * @param at when that was asked, by the store's clock
 */
public record ReleaseRequest(String reason, String by, Instant at) {

	/** How many characters a reason may have. */
	public static final int MAX_REASON = 500;

}
