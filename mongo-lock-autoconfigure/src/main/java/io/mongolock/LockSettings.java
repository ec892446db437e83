package io.mongolock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a lock is to be held and waited for, as far as somebody said so; {@code null}
 * leaves it to the next level: a request, its name, the global settings, the defaults.
 *
 * @param ttl how long a lease lasts without renewal
 * @param margin how long before its end the holder no longer relies on it
 * @param renewInterval time between renewals
 * @param operationTimeout the longest that one request to the store may take
 * @param waitTimeout how long to wait for a lock that another holds
 * @param retryInterval the longest time between two looks at a lock that another holds
 * @param autoRenew whether the lease is renewed while it is held
 */
public record LockSettings(@Nullable Duration ttl, @Nullable Duration margin, @Nullable Duration renewInterval,
		@Nullable Duration operationTimeout, @Nullable Duration waitTimeout, @Nullable Duration retryInterval,
		@Nullable Boolean autoRenew) {

	/**
	 * Settings that leave everything to the next level.
	 */
	public static final LockSettings NONE = new LockSettings(null, null, null, null, null, null, null);

	/**
	 * These settings, and where they say nothing, others.
	 * @param other the next level
	 * @return the combination
	 */
	public LockSettings or(LockSettings other) {
		return new LockSettings(first(this.ttl, other.ttl), first(this.margin, other.margin),
				first(this.renewInterval, other.renewInterval), first(this.operationTimeout, other.operationTimeout),
				first(this.waitTimeout, other.waitTimeout), first(this.retryInterval, other.retryInterval),
				first(this.autoRenew, other.autoRenew));
	}

	private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
		return (one != null) ? one : other;
	}

}
