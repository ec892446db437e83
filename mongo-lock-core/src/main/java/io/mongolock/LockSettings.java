package io.mongolock;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Settings for holding a lock and for waiting for it. A setting that is {@code null} is
 * taken from the next level. The levels are the request, the name of the lock, the global
 * settings, and the defaults. Immutable.
 */
public final class LockSettings {

	/**
	 * Settings that leave everything to the next level.
	 */
	public static final LockSettings NONE = builder().build();

	/** The settings that have a value. */
	private final Map<Setting, Object> values;

	private LockSettings(Map<Setting, Object> values) {
		this.values = values;
	}

	/**
	 * Start with settings that leave everything to the next level.
	 * @return a builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * How long a lease lasts without a renewal.
	 * @return whole milliseconds
	 */
	public @Nullable Duration ttl() {
		return (Duration) this.values.get(Setting.TTL);
	}

	/**
	 * How long before the end of a lease the holder no longer relies on the lock.
	 * @return whole milliseconds
	 */
	public @Nullable Duration margin() {
		return (Duration) this.values.get(Setting.MARGIN);
	}

	/**
	 * The time between renewals.
	 * @return whole milliseconds, or {@code null} if it depends on the number of leases
	 */
	public @Nullable Duration renewInterval() {
		return (Duration) this.values.get(Setting.RENEW_INTERVAL);
	}

	/**
	 * How long one request to the store may take.
	 * @return whole milliseconds
	 */
	public @Nullable Duration operationTimeout() {
		return (Duration) this.values.get(Setting.OPERATION_TIMEOUT);
	}

	/**
	 * How long to wait for a lock that another holder has.
	 * @return whole milliseconds, zero to ask only once
	 */
	public @Nullable Duration waitTimeout() {
		return (Duration) this.values.get(Setting.WAIT_TIMEOUT);
	}

	/**
	 * The longest time after which the first waiter asks again, if no change stream wakes
	 * it. For the second waiter, the time is twice as long, and so on.
	 * @return whole milliseconds
	 */
	public @Nullable Duration retryInterval() {
		return (Duration) this.values.get(Setting.RETRY_INTERVAL);
	}

	/**
	 * Whether a lease is renewed while the lock is held.
	 * @return whether to renew
	 */
	public @Nullable Boolean autoRenew() {
		return (Boolean) this.values.get(Setting.AUTO_RENEW);
	}

	/**
	 * How many callers may hold the lock at the same time.
	 * @return at least 1; {@link LockRequest#UNLIMITED} for a shared lock
	 */
	public @Nullable Integer limit() {
		return (Integer) this.values.get(Setting.LIMIT);
	}

	/**
	 * How long a lock stays taken at least, counted from its grant, even if the work ends
	 * earlier.
	 * @return whole milliseconds, zero if the lock is free as soon as it is released
	 */
	public @Nullable Duration minHold() {
		return (Duration) this.values.get(Setting.MIN_HOLD);
	}

	/**
	 * How long the client keeps the lease after this JVM no longer uses the lock, so that
	 * the next claim of this JVM needs no request.
	 * @return whole milliseconds, zero to release the lock at once
	 */
	public @Nullable Duration linger() {
		return (Duration) this.values.get(Setting.LINGER);
	}

	/**
	 * The name of the holder as people know it, which others can read.
	 * @return the name
	 */
	public @Nullable String as() {
		return (String) this.values.get(Setting.AS);
	}

	/**
	 * Combine these settings with the settings of the next level.
	 * @param other the next level, which counts for each setting that these settings
	 * leave open
	 * @return the combination
	 */
	public LockSettings or(LockSettings other) {
		if (this == NONE || other == NONE) {
			return (this == NONE) ? other : this;
		}
		Map<Setting, Object> values = new EnumMap<>(other.values);
		values.putAll(this.values);
		return new LockSettings(values);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof LockSettings settings && settings.values.equals(this.values));
	}

	@Override
	public int hashCode() {
		return this.values.hashCode();
	}

	@Override
	public String toString() {
		return "LockSettings" + this.values;
	}

	private enum Setting {

		TTL, MARGIN, RENEW_INTERVAL, OPERATION_TIMEOUT, WAIT_TIMEOUT, RETRY_INTERVAL, AUTO_RENEW, LIMIT, MIN_HOLD,
		LINGER, AS

	}

	/**
	 * Builds {@link LockSettings}. A setting that is not set, or set to {@code null}, is
	 * left to the next level. Values are checked when all levels are put together. Not
	 * thread-safe.
	 */
	public static final class Builder {

		private final Map<Setting, Object> values = new EnumMap<>(Setting.class);

		private Builder() {
		}

		/**
		 * Set how long a lease lasts without a renewal.
		 * @param ttl whole milliseconds, at least 100
		 * @return this builder
		 */
		public Builder ttl(@Nullable Duration ttl) {
			return set(Setting.TTL, ttl);
		}

		/**
		 * Set how long before the end of a lease the holder no longer relies on the lock.
		 * @param margin whole milliseconds, less than the ttl
		 * @return this builder
		 */
		public Builder margin(@Nullable Duration margin) {
			return set(Setting.MARGIN, margin);
		}

		/**
		 * Set the time between renewals.
		 * @param renewInterval whole milliseconds, at most (ttl - margin) / 3; if you do
		 * not set it, it is one second, and grows with the number of leases
		 * @return this builder
		 */
		public Builder renewInterval(@Nullable Duration renewInterval) {
			return set(Setting.RENEW_INTERVAL, renewInterval);
		}

		/**
		 * Set how long one request to the store may take.
		 * @param operationTimeout whole milliseconds, at most (ttl - margin -
		 * renewInterval) / 2
		 * @return this builder
		 */
		public Builder operationTimeout(@Nullable Duration operationTimeout) {
			return set(Setting.OPERATION_TIMEOUT, operationTimeout);
		}

		/**
		 * Set how long to wait for a lock that another holder has.
		 * @param waitTimeout whole milliseconds, zero to ask only once
		 * @return this builder
		 */
		public Builder waitTimeout(@Nullable Duration waitTimeout) {
			return set(Setting.WAIT_TIMEOUT, waitTimeout);
		}

		/**
		 * Set the longest time after which the first waiter asks again, if no change
		 * stream wakes it. For the second waiter, the time is twice as long, and so on.
		 * @param retryInterval whole milliseconds, at least 1
		 * @return this builder
		 */
		public Builder retryInterval(@Nullable Duration retryInterval) {
			return set(Setting.RETRY_INTERVAL, retryInterval);
		}

		/**
		 * Set whether a lease is renewed while the lock is held.
		 * @param autoRenew whether to renew
		 * @return this builder
		 */
		public Builder autoRenew(@Nullable Boolean autoRenew) {
			return set(Setting.AUTO_RENEW, autoRenew);
		}

		/**
		 * Set how many callers may hold the lock at the same time.
		 * @param limit at least 1; {@link LockRequest#UNLIMITED} for a shared lock
		 * @return this builder
		 */
		public Builder limit(@Nullable Integer limit) {
			return set(Setting.LIMIT, limit);
		}

		/**
		 * Set how long a lock stays taken at least, counted from its grant, even if the
		 * work ends earlier. The caller does not wait for the end of this time.
		 * @param minHold whole milliseconds, at most half of the retention of the TTL
		 * index; may be longer than the ttl
		 * @return this builder
		 */
		public Builder minHold(@Nullable Duration minHold) {
			return set(Setting.MIN_HOLD, minHold);
		}

		/**
		 * Set how long the client keeps the lease after this JVM no longer uses the lock,
		 * so that the next claim of this JVM needs no request. Use this for a lock that
		 * this instance takes again and again, and other instances seldom take. The
		 * client releases the lease earlier if another instance wants the lock. It also
		 * releases the lease when half of the time has passed in which a holder could
		 * rely on it. This setting has no effect on locks that several callers may hold
		 * at the same time.
		 * @param linger whole milliseconds, zero to release the lock at once
		 * @return this builder
		 */
		public Builder linger(@Nullable Duration linger) {
			return set(Setting.LINGER, linger);
		}

		/**
		 * Set the name of the holder as people know it, for example the name of the user
		 * who edits. Callers that are denied the lock see this name, and lists show it.
		 * The library decides nothing by it. The name counts only in a request.
		 * @param as a name of 1 to {@value LockOwner#MAX_AS} characters, without control
		 * characters
		 * @return this builder
		 * @throws IllegalArgumentException if the name is not allowed
		 */
		public Builder as(@Nullable String as) {
			return set(Setting.AS, (as != null) ? LockOwner.checkAs(as) : null);
		}

		private Builder set(Setting setting, @Nullable Object value) {
			if (value != null) {
				this.values.put(setting, value);
			}
			else {
				this.values.remove(setting);
			}
			return this;
		}

		/**
		 * Build the settings.
		 * @return the settings
		 */
		public LockSettings build() {
			return new LockSettings(new EnumMap<>(this.values));
		}

	}

}
