package io.mongolock.sample.orders.page;

import org.jspecify.annotations.Nullable;

/**
 * A time during which an instance held a lock. It says how long ago instead of when, so
 * that no instance has to trust the clock of another.
 *
 * @param key the key of the lock
 * @param fence the number of the grant
 * @param takenOverFrom the instance that let the lock lapse before, if one did
 * @param startedAgo milliseconds since it was granted
 * @param endedAgo milliseconds since its end, {@code null} while it lasts
 * @param end how it ended, {@code null} while it lasts
 */
record Turn(String key, long fence, @Nullable String takenOverFrom, long startedAgo, @Nullable Long endedAgo,
		@Nullable End end) {

	enum End {

		RELEASED, LOST

	}

}
