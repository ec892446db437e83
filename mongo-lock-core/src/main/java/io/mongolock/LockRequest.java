package io.mongolock;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A request for a lock, which says which lock to take, how to hold it, and how to wait
 * for it. Immutable.
 *
 * @param key the key of the lock, 1 to 1,024 bytes of UTF-8
 * @param name the name that groups settings and metrics of many keys, for example
 * {@code order}
 * @param settings the settings of this request
 * @param onUnavailable whether the caller goes on without the lock if another holder has
 * it; the claim then waits only if this request or the settings of its name have a wait
 * timeout
 * @param onLost what happens to the holder if the lock is lost
 */
public record LockRequest(String key, @Nullable String name, LockSettings settings, OnUnavailable onUnavailable,
		OnLost onLost) {

	/**
	 * The longest key, in bytes of UTF-8.
	 */
	public static final int MAX_KEY_BYTES = 1024;

	/**
	 * The limit of a shared lock.
	 */
	public static final int UNLIMITED = Integer.MAX_VALUE;

	public LockRequest {
		checkKey(key);
		if (name != null && name.isBlank()) {
			throw new IllegalArgumentException(
					"The name of a lock must not be blank. If the lock needs no name, leave the name out");
		}
		Integer limit = settings.limit();
		if (limit != null && limit < 1) {
			throw new IllegalArgumentException("The limit of a lock must be at least 1, not " + limit);
		}
	}

	/**
	 * Create a request for an exclusive lock, with all settings as configured.
	 * @param key the key of the lock
	 * @return the request
	 * @throws IllegalArgumentException if the key is blank, too long or not valid Unicode
	 */
	public static LockRequest of(String key) {
		return builder(key).build();
	}

	/**
	 * Create a request for an exclusive lock with a name and a key, as
	 * {@code @DistributedLock(name = "order", key = "#id")} does. The key of the lock is
	 * {@code order:}, followed by the text of the given key. The settings of this name
	 * apply.
	 * @param name the name that groups settings and metrics, for example {@code order}
	 * @param key the thing to lock: text, a number, an enum, a UUID, a time without a
	 * zone or another value that has one text in every JVM, or a record of such values
	 * @return the request
	 * @throws IllegalArgumentException if the name is blank, or if the key is blank, too
	 * long, not valid Unicode or a value that is not allowed
	 */
	public static LockRequest of(String name, Object key) {
		return builder(name, key).build();
	}

	/**
	 * Start a request.
	 * @param key the key of the lock
	 * @return a builder
	 */
	public static Builder builder(String key) {
		return new Builder(key);
	}

	/**
	 * Start a request with a name and a key.
	 * @param name the name that groups settings and metrics, for example {@code order};
	 * {@code null} for a key alone
	 * @param key the thing to lock, as in {@link #of(String, Object)}
	 * @return a builder
	 * @throws IllegalArgumentException if the key is a value that is not allowed
	 */
	public static Builder builder(@Nullable String name, Object key) {
		return new Builder((name != null) ? name + ":" + text(name, key) : text(null, key)).name(name);
	}

	private static String text(@Nullable String name, @Nullable Object key) {
		try {
			return LockKeyText.of(key);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("There is no key for the lock"
					+ ((name != null) ? " named '" + name + "'" : "") + ", because " + ex.getMessage(), ex);
		}
	}

	/**
	 * Whether the request is for an exclusive or a shared lock.
	 * @return {@link LockMode#SHARED} if any number of callers may hold the lock together
	 */
	public LockMode mode() {
		Integer limit = this.settings.limit();
		return (limit != null && limit == UNLIMITED) ? LockMode.SHARED : LockMode.EXCLUSIVE;
	}

	/**
	 * Return this request with other settings.
	 * @param settings the new settings; a setting that they leave open stays as before
	 * @return the request
	 */
	public LockRequest with(LockSettings settings) {
		return new LockRequest(this.key, this.name, settings.or(this.settings), this.onUnavailable, this.onLost);
	}

	private static void checkKey(@Nullable String key) {
		if (key == null || key.isBlank()) {
			throw new IllegalArgumentException("The key of a lock must not be " + ((key != null) ? "blank" : "null"));
		}
		byte[] stored = key.getBytes(StandardCharsets.UTF_8);
		if (!new String(stored, StandardCharsets.UTF_8).equals(key)) {
			// The store would replace the invalid character, and different keys would
			// become the same
			throw new IllegalArgumentException(
					"The key of a lock is not valid Unicode, because it has half a surrogate pair. Remove that half");
		}
		if (stored.length > MAX_KEY_BYTES) {
			throw new IllegalArgumentException(
					"The key of a lock must have at most " + MAX_KEY_BYTES + " bytes in UTF-8, but this key has "
							+ stored.length + " bytes. Use a shorter key, or a hash of the key");
		}
	}

	/**
	 * Builds a {@link LockRequest}. Not thread-safe.
	 */
	public static final class Builder {

		private final String key;

		private @Nullable String name;

		private LockSettings settings = LockSettings.NONE;

		private OnUnavailable onUnavailable = OnUnavailable.FAIL;

		private OnLost onLost = OnLost.FAIL;

		private boolean shared;

		private Builder(String key) {
			this.key = key;
		}

		/**
		 * Set the name, which groups this key with other keys for settings and metrics.
		 * @param name the name, for example {@code order}
		 * @return this builder
		 */
		public Builder name(@Nullable String name) {
			this.name = name;
			return this;
		}

		/**
		 * Set all settings at once. They replace all settings that were set before.
		 * @param settings the settings
		 * @return this builder
		 */
		public Builder settings(LockSettings settings) {
			this.settings = settings;
			return this;
		}

		/**
		 * Set how long the lease lasts without a renewal.
		 * @param ttl whole milliseconds, at least 100
		 * @return this builder
		 */
		public Builder ttl(Duration ttl) {
			return say(LockSettings.builder().ttl(ttl).build());
		}

		/**
		 * Set how long to wait for a lock that another holder has.
		 * @param waitTimeout whole milliseconds, zero to ask only once
		 * @return this builder
		 */
		public Builder waitTimeout(Duration waitTimeout) {
			return say(LockSettings.builder().waitTimeout(waitTimeout).build());
		}

		/**
		 * Set the longest time after which the first waiter asks again, if no change
		 * stream wakes it. For the second waiter, the time is twice as long, and so on.
		 * @param retryInterval whole milliseconds, at least 1
		 * @return this builder
		 */
		public Builder retryInterval(Duration retryInterval) {
			return say(LockSettings.builder().retryInterval(retryInterval).build());
		}

		/**
		 * Set whether the lease is renewed while the lock is held.
		 * @param autoRenew whether to renew
		 * @return this builder
		 */
		public Builder autoRenew(boolean autoRenew) {
			return say(LockSettings.builder().autoRenew(autoRenew).build());
		}

		/**
		 * Set how long the lock stays taken at least, counted from its grant, even if the
		 * work ends earlier. This is for a job that all instances begin at the same time,
		 * but that only one instance may run. The caller does not wait for the end of
		 * this time.
		 * @param minHold whole milliseconds, at most half of the retention of the TTL
		 * index; may be longer than the ttl
		 * @return this builder
		 */
		public Builder minHold(Duration minHold) {
			return say(LockSettings.builder().minHold(minHold).build());
		}

		/**
		 * Set how long the client keeps the lease after the lock is no longer used, as
		 * {@link LockSettings.Builder#linger} describes.
		 * @param linger whole milliseconds, zero to release the lock at once
		 * @return this builder
		 */
		public Builder linger(Duration linger) {
			return say(LockSettings.builder().linger(linger).build());
		}

		/**
		 * Set the name of the caller as people know it, as
		 * {@link LockSettings.Builder#as} describes.
		 * @param as a name of 1 to {@value LockOwner#MAX_AS} characters
		 * @return this builder
		 * @throws IllegalArgumentException if the name is not allowed
		 */
		public Builder as(@Nullable String as) {
			return say(LockSettings.builder().as(as).build());
		}

		/**
		 * Set whether the caller goes on without the lock if another holder has it. With
		 * {@link OnUnavailable#SKIP}, the claim waits only if a wait timeout is set on
		 * this builder or for the name of the lock, and listeners learn of a skip. The
		 * methods {@code execute} and {@code acquire} still throw a
		 * {@link LockUnavailableException}.
		 * @param onUnavailable the policy
		 * @return this builder
		 */
		public Builder onUnavailable(OnUnavailable onUnavailable) {
			this.onUnavailable = onUnavailable;
			return this;
		}

		/**
		 * Set what happens to the holder if the lock is lost.
		 * @param onLost the policy
		 * @return this builder
		 */
		public Builder onLost(OnLost onLost) {
			this.onLost = onLost;
			return this;
		}

		/**
		 * Set how many callers may hold the lock at the same time, as with a semaphore.
		 * If requests for one key have different limits, the smallest limit counts. A
		 * limit cannot be combined with {@link #shared}.
		 * @param limit at least 1; 1 is an exclusive lock
		 * @return this builder
		 */
		public Builder limit(int limit) {
			return say(LockSettings.builder().limit(limit).build());
		}

		/**
		 * Let any number of callers hold the lock at the same time, but not beside an
		 * exclusive holder. This is the read lock of a read/write lock. It cannot be
		 * combined with a limit.
		 * @return this builder
		 */
		public Builder shared() {
			this.shared = true;
			return this;
		}

		/**
		 * Build the request.
		 * @return the request
		 * @throws IllegalArgumentException if the key, the name or the limit is not
		 * allowed, or if the request is shared and has a limit
		 */
		public LockRequest build() {
			return new LockRequest(this.key, this.name, (this.shared) ? sharing(this.settings) : this.settings,
					this.onUnavailable, this.onLost);
		}

		private static LockSettings sharing(LockSettings settings) {
			Integer limit = settings.limit();
			if (limit != null && limit != UNLIMITED) {
				throw new IllegalArgumentException("The request is shared and has the limit " + limit
						+ ", but a shared lock has no limit. If you want a semaphore, set only the limit. If you want "
						+ "the reading side of a read/write lock, set no limit");
			}
			return LockSettings.builder().limit(UNLIMITED).build().or(settings);
		}

		private Builder say(LockSettings more) {
			this.settings = more.or(this.settings);
			return this;
		}

	}

}
