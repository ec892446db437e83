package io.mongolock;

import java.time.Duration;
import java.util.Objects;

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

	private final Values values;

	private LockSettings(Values values) {
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
		return this.values.ttl;
	}

	/**
	 * How long before its end the holder no longer relies on a lease.
	 * @return whole milliseconds
	 */
	public @Nullable Duration margin() {
		return this.values.margin;
	}

	/**
	 * The time between renewals.
	 * @return whole milliseconds, or {@code null} if it depends on the number of leases
	 */
	public @Nullable Duration renewInterval() {
		return this.values.renewInterval;
	}

	/**
	 * The longest that one request to the store may take.
	 * @return whole milliseconds
	 */
	public @Nullable Duration operationTimeout() {
		return this.values.operationTimeout;
	}

	/**
	 * How long to wait for a lock that another holds.
	 * @return whole milliseconds, zero to ask once
	 */
	public @Nullable Duration waitTimeout() {
		return this.values.waitTimeout;
	}

	/**
	 * The longest time until the first waiter looks again where no change stream wakes
	 * it; n times that for the n-th.
	 * @return whole milliseconds
	 */
	public @Nullable Duration retryInterval() {
		return this.values.retryInterval;
	}

	/**
	 * Whether a lease is renewed while it is held.
	 * @return whether to renew
	 */
	public @Nullable Boolean autoRenew() {
		return this.values.autoRenew;
	}

	/**
	 * How many may hold the lock together.
	 * @return at least 1; {@link LockRequest#UNLIMITED} for a shared lock
	 */
	public @Nullable Integer limit() {
		return this.values.limit;
	}

	/**
	 * How long a lock stays taken at least, from its grant on, however soon its holder is
	 * done.
	 * @return whole milliseconds, zero for no longer than it is held
	 */
	public @Nullable Duration minHold() {
		return this.values.minHold;
	}

	/**
	 * How long the client keeps the lease of a lock that nobody of this JVM holds any
	 * more, so that the next claim here costs no request.
	 * @return whole milliseconds, zero to release it at once
	 */
	public @Nullable Duration linger() {
		return this.values.linger;
	}

	/**
	 * The name of the holder, as people know it, for others to read.
	 * @return the name
	 */
	public @Nullable String as() {
		return this.values.as;
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
		Values mine = this.values;
		Values others = other.values;
		return new LockSettings(new Values(first(mine.ttl, others.ttl), first(mine.margin, others.margin),
				first(mine.renewInterval, others.renewInterval), first(mine.operationTimeout, others.operationTimeout),
				first(mine.waitTimeout, others.waitTimeout), first(mine.retryInterval, others.retryInterval),
				first(mine.autoRenew, others.autoRenew), first(mine.limit, others.limit),
				first(mine.minHold, others.minHold), first(mine.linger, others.linger), first(mine.as, others.as)));
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
		return this.values.toString().replace("Values", "LockSettings");
	}

	private static <T> @Nullable T first(@Nullable T mine, @Nullable T other) {
		return (mine != null) ? mine : other;
	}

	private record Values(@Nullable Duration ttl, @Nullable Duration margin, @Nullable Duration renewInterval,
			@Nullable Duration operationTimeout, @Nullable Duration waitTimeout, @Nullable Duration retryInterval,
			@Nullable Boolean autoRenew, @Nullable Integer limit, @Nullable Duration minHold, @Nullable Duration linger,
			@Nullable String as) {

		// Written out, as a start compares settings, and what a record does of itself has
		// dozens of classes made
		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Values that && Objects.equals(this.ttl, that.ttl)
					&& Objects.equals(this.margin, that.margin)
					&& Objects.equals(this.renewInterval, that.renewInterval)
					&& Objects.equals(this.operationTimeout, that.operationTimeout)
					&& Objects.equals(this.waitTimeout, that.waitTimeout)
					&& Objects.equals(this.retryInterval, that.retryInterval)
					&& Objects.equals(this.autoRenew, that.autoRenew) && Objects.equals(this.limit, that.limit)
					&& Objects.equals(this.minHold, that.minHold) && Objects.equals(this.linger, that.linger)
					&& Objects.equals(this.as, that.as);
		}

		@Override
		public int hashCode() {
			return Objects.hash(this.ttl, this.margin, this.renewInterval, this.operationTimeout, this.waitTimeout,
					this.retryInterval, this.autoRenew, this.limit, this.minHold, this.linger, this.as);
		}

	}

	/**
	 * Collects settings; what is not said, or said to be {@code null}, is left to the
	 * next level. Values are checked where all levels are put together. Not thread-safe.
	 */
	public static final class Builder {

		private @Nullable Duration ttl;

		private @Nullable Duration margin;

		private @Nullable Duration renewInterval;

		private @Nullable Duration operationTimeout;

		private @Nullable Duration waitTimeout;

		private @Nullable Duration retryInterval;

		private @Nullable Boolean autoRenew;

		private @Nullable Integer limit;

		private @Nullable Duration minHold;

		private @Nullable Duration linger;

		private @Nullable String as;

		private Builder() {
		}

		/**
		 * How long a lease lasts without renewal.
		 * @param ttl whole milliseconds, at least 100
		 * @return this builder
		 */
		public Builder ttl(@Nullable Duration ttl) {
			this.ttl = ttl;
			return this;
		}

		/**
		 * How long before its end the holder no longer relies on a lease.
		 * @param margin whole milliseconds, less than the ttl
		 * @return this builder
		 */
		public Builder margin(@Nullable Duration margin) {
			this.margin = margin;
			return this;
		}

		/**
		 * The time between renewals.
		 * @param renewInterval whole milliseconds, at most (ttl - margin) / 3; if it is
		 * not set it is one second, and grows with the number of leases
		 * @return this builder
		 */
		public Builder renewInterval(@Nullable Duration renewInterval) {
			this.renewInterval = renewInterval;
			return this;
		}

		/**
		 * The longest that one request to the store may take.
		 * @param operationTimeout whole milliseconds, at most (ttl - margin -
		 * renewInterval) / 2
		 * @return this builder
		 */
		public Builder operationTimeout(@Nullable Duration operationTimeout) {
			this.operationTimeout = operationTimeout;
			return this;
		}

		/**
		 * How long to wait for a lock that another holds.
		 * @param waitTimeout whole milliseconds, zero to ask once
		 * @return this builder
		 */
		public Builder waitTimeout(@Nullable Duration waitTimeout) {
			this.waitTimeout = waitTimeout;
			return this;
		}

		/**
		 * The longest time until the first waiter looks again where no change stream
		 * wakes it; n times that for the n-th.
		 * @param retryInterval whole milliseconds, at least 1
		 * @return this builder
		 */
		public Builder retryInterval(@Nullable Duration retryInterval) {
			this.retryInterval = retryInterval;
			return this;
		}

		/**
		 * Whether a lease is renewed while it is held.
		 * @param autoRenew whether to renew
		 * @return this builder
		 */
		public Builder autoRenew(@Nullable Boolean autoRenew) {
			this.autoRenew = autoRenew;
			return this;
		}

		/**
		 * How many may hold the lock together.
		 * @param limit at least 1; {@link LockRequest#UNLIMITED} for a shared lock
		 * @return this builder
		 */
		public Builder limit(@Nullable Integer limit) {
			this.limit = limit;
			return this;
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
			this.minHold = minHold;
			return this;
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
			this.linger = linger;
			return this;
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
			this.as = (as != null) ? LockOwner.checkAs(as) : null;
			return this;
		}

		/**
		 * The settings.
		 * @return the settings
		 */
		public LockSettings build() {
			return new LockSettings(
					new Values(this.ttl, this.margin, this.renewInterval, this.operationTimeout, this.waitTimeout,
							this.retryInterval, this.autoRenew, this.limit, this.minHold, this.linger, this.as));
		}

	}

}
