package io.mongolock.core;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lease that this client has.
 *
 * @param idleFor how long nobody has held the lock, {@code null} while somebody does
 */
public record LocalLease(@Nullable Duration idleFor) {

}
