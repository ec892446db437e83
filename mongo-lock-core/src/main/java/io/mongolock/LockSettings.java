package io.mongolock;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Settings for holding a lock and waiting for it, as far as somebody set them; what is
 * {@code null} is left to the next level: a request, its name, the global settings, the
 * defaults. Immutable.
 */
public final class LockSettings {

	/**
	 * Settings that leave everything to the next level.
	 */
	public static final LockSettings NONE = builder().build();

	/** Those that are set. */
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
	 * How long a lease lasts without renewal.
	 * @return whole milliseconds
	 */
	public @Nullable Duration ttl() {
		return (Duration) this.values.get(Setting.TTL);
	}

	/**
	 * How long before its end the holder no longer relies on a lease.
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
	 * The longest that one request to the store may take.
	 * @return whole milliseconds
	 */
	public @Nullable Duration operationTimeout() {
		return (Duration) this.values.get(Setting.OPERATION_TIMEOUT);
	}

	/**
	 * How long to wait for a lock that another holds.
	 * @return whole milliseconds, zero to ask once
	 */
	public @Nullable Duration waitTimeout() {
		return (Duration) this.values.get(Setting.WAIT_TIMEOUT);
	}

	/**
	 * The longest time until the first waiter looks again where no change stream wakes
	 * it; n times that for the n-th.
	 * @return whole milliseconds
	 */
	public @Nullable Duration retryInterval() {
		return (Duration) this.values.get(Setting.RETRY_INTERVAL);
	}

	/**
	 * Whether a lease is renewed while it is held.
	 * @return whether to renew
	 */
	public @Nullable Boolean autoRenew() {
		return (Boolean) this.values.get(Setting.AUTO_RENEW);
	}

	/**
	 * How many may hold the lock together.
	 * @return at least 1; {@link LockRequest#UNLIMITED} for a shared lock
	 */
	public @Nullable Integer limit() {
		return (Integer) this.values.get(Setting.LIMIT);
	}

	/**
	 * How long a lock stays taken at least, from its grant on, however soon its holder is
	 * done.
	 * @return whole milliseconds, zero for no longer than it is held
	 */
	public @Nullable Duration minHold() {
		return (Duration) this.values.get(Setting.MIN_HOLD);
	}

	/**
	 * How long the client keeps the lease of a lock that nobody of this JVM holds any
	 * more, so that the next claim here costs no request.
	 * @return whole milliseconds, zero to release it at once
	 */
	public @Nullable Duration linger() {
		return (Duration) this.values.get(Setting.LINGER);
	}

	/**
	 * The name of the holder, as people know it, for others to read.
	 * @return the name
	 */
	public @Nullable String as() {
		return (String) this.values.get(Setting.AS);
	}

	/**
	 * These settings, and where they say nothing, others.
	 * @param other the next level
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
	 * Collects settings; what is not said, or said to be {@code null}, is left to the
	 * next level. Values are checked where all levels are put together. Not thread-safe.
	 */
	public static final class Builder {

		private final Map<Setting, Object> values = new EnumMap<>(Setting.class);

		private Builder() {
		}

		/**
		 * How long a lease lasts without renewal.
		 * @param ttl whole milliseconds, at least 100
		 * @return this builder
		 */
		public Builder ttl(@Nullable Duration ttl) {
			return set(Setting.TTL, ttl);
		}

		/**
		 * How long before its end the holder no longer relies on a lease.
		 * @param margin whole milliseconds, less than the ttl
		 * @return this builder
		 */
		public Builder margin(@Nullable Duration margin) {
			return set(Setting.MARGIN, margin);
		}

		/**
		 * The time between renewals.
		 * @param renewInterval whole milliseconds, at most (ttl - margin) / 3; if it is
		 * not set it is one second, and grows with the number of leases
		 * @return this builder
		 */
		public Builder renewInterval(@Nullable Duration renewInterval) {
			return set(Setting.RENEW_INTERVAL, renewInterval);
		}

		/**
		 * The longest that one request to the store may take.
		 * @param operationTimeout whole milliseconds, at most (ttl - margin -
		 * renewInterval) / 2
		 * @return this builder
		 */
		public Builder operationTimeout(@Nullable Duration operationTimeout) {
			return set(Setting.OPERATION_TIMEOUT, operationTimeout);
		}

		/**
		 * How long to wait for a lock that another holds.
		 * @param waitTimeout whole milliseconds, zero to ask once
		 * @return this builder
		 */
		public Builder waitTimeout(@Nullable Duration waitTimeout) {
			return set(Setting.WAIT_TIMEOUT, waitTimeout);
		}

		/**
		 * The longest time until the first waiter looks again where no change stream
		 * wakes it; n times that for the n-th.
		 * @param retryInterval whole milliseconds, at least 1
		 * @return this builder
		 */
		public Builder retryInterval(@Nullable Duration retryInterval) {
			return set(Setting.RETRY_INTERVAL, retryInterval);
		}

		/**
		 * Whether a lease is renewed while it is held.
		 * @param autoRenew whether to renew
		 * @return this builder
		 */
		public Builder autoRenew(@Nullable Boolean autoRenew) {
			return set(Setting.AUTO_RENEW, autoRenew);
		}

		/**
		 * How many may hold the lock together.
		 * @param limit at least 1; {@link LockRequest#UNLIMITED} for a shared lock
		 * @return this builder
		 */
		public Builder limit(@Nullable Integer limit) {
			return set(Setting.LIMIT, limit);
		}

		/**
		 * How long a lock stays taken at least, from its grant on: the caller does not
		 * wait for it, and the release leaves the rest to the lease in the store, also if
		 * that is longer than the ttl.
		 * @param minHold whole milliseconds, at most half of the retention of the TTL
		 * index
		 * @return this builder
		 */
		public Builder minHold(@Nullable Duration minHold) {
			return set(Setting.MIN_HOLD, minHold);
		}

		/**
		 * How long the client keeps the lease of a lock that nobody of this JVM holds any
		 * more, so that the next claim here costs no request: for locks that this
		 * instance takes again and again, and others seldom. It is given back before if
		 * another instance wants it, and at the latest when half of the time is over for
		 * which the lease is relied on. Has no effect on locks that several may hold
		 * together.
		 * @param linger whole milliseconds, zero to release the lock at once
		 * @return this builder
		 */
		public Builder linger(@Nullable Duration linger) {
			return set(Setting.LINGER, linger);
		}

		/**
		 * The name of the holder, as people know it, for example of the user who edits:
		 * shown to those who are denied, and in lists. Nothing is decided by it. Counts
		 * in a request alone.
		 * @param as a name of 1 to {@value LockOwner#MAX_AS} characters, none of them a
		 * control character
		 * @return this builder
		 * @throws IllegalArgumentException if it is no such name
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
		 * The settings.
		 * @return the settings
		 */
		public LockSettings build() {
			return new LockSettings(new EnumMap<>(this.values));
		}

	}

}
