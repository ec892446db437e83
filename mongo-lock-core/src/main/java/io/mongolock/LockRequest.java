package io.mongolock;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A request for a lock: its key, and how to hold it and wait for it. Immutable.
 *
 * @param key what is locked: 1 to 1,024 bytes of UTF-8
 * @param name groups settings and metrics of many keys, for example {@code order}
 * @param settings what this request says itself
 * @param onUnavailable whether the caller goes on without the lock if another holds it,
 * and so does not wait unless this request or the settings of its name say so
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
	 * A request for an exclusive lock with all settings left to the configuration.
	 * @param key what is locked
	 * @return the request
	 * @throws IllegalArgumentException if the key is blank, too long or not valid Unicode
	 */
	public static LockRequest of(String key) {
		return builder(key).build();
	}

	/**
	 * A request for an exclusive lock with a name and a key, like the locks of
	 * {@code @DistributedLock(name = "order", key = "#id")}: the key of the lock is
	 * {@code order:} and the text of the key, and the settings of that name apply.
	 * @param name groups settings and metrics, for example {@code order}
	 * @param key what is locked: text, a number, an enum, a UUID, a time without a zone
	 * or another value that has one text in every JVM, or a record of these
	 * @return the request
	 * @throws IllegalArgumentException if the name is blank, or the key is blank, too
	 * long, not valid Unicode or a value without such a text
	 */
	public static LockRequest of(String name, Object key) {
		return builder(name, key).build();
	}

	/**
	 * Start a request.
	 * @param key what is locked
	 * @return a builder
	 */
	public static Builder builder(String key) {
		return new Builder(key);
	}

	/**
	 * Start a request with a name and a key.
	 * @param name groups settings and metrics, for example {@code order}; {@code null}
	 * for a key alone
	 * @param key what is locked, as in {@link #of(String, Object)}
	 * @return a builder
	 * @throws IllegalArgumentException if the key is a value without a text of its own
	 */
	public static Builder builder(@Nullable String name, Object key) {
		return new Builder((name != null) ? name + ":" + text(name, key) : text(null, key)).name(name);
	}

	private static String text(@Nullable String name, @Nullable Object key) {
		try {
			return LockKeyText.of(key);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"No key for a lock" + ((name != null) ? " named '" + name + "'" : "") + ": " + ex.getMessage(), ex);
		}
	}

	/**
	 * Whether the lock is wanted for this request alone or together with others.
	 * @return {@link LockMode#SHARED} if any number may hold it together
	 */
	public LockMode mode() {
		Integer limit = this.settings.limit();
		return (limit != null && limit == UNLIMITED) ? LockMode.SHARED : LockMode.EXCLUSIVE;
	}

	/**
	 * This request with other settings.
	 * @param settings what they say counts; what they leave open is as before
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
			// Stored as a replacement character, it would be the same key as others
			throw new IllegalArgumentException(
					"The key of a lock is not valid Unicode, because it has half a surrogate pair. Remove that half");
		}
		if (stored.length > MAX_KEY_BYTES) {
			throw new IllegalArgumentException("The key of a lock must have at most " + MAX_KEY_BYTES
					+ " bytes in UTF-8, but this key has " + stored.length + ". Use a shorter key, or a hash of it");
		}
	}

	/**
	 * Collects what a {@link LockRequest} says. Not thread-safe.
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
		 * Group this key with others for settings and metrics.
		 * @param name the name, for example {@code order}
		 * @return this builder
		 */
		public Builder name(@Nullable String name) {
			this.name = name;
			return this;
		}

		/**
		 * Say all settings at once; replaces those said before.
		 * @param settings the settings
		 * @return this builder
		 */
		public Builder settings(LockSettings settings) {
			this.settings = settings;
			return this;
		}

		/**
		 * How long the lease lasts without renewal.
		 * @param ttl whole milliseconds, at least 100
		 * @return this builder
		 */
		public Builder ttl(Duration ttl) {
			return say(LockSettings.builder().ttl(ttl).build());
		}

		/**
		 * How long to wait for a lock that another holds; zero to ask once.
		 * @param waitTimeout whole milliseconds
		 * @return this builder
		 */
		public Builder waitTimeout(Duration waitTimeout) {
			return say(LockSettings.builder().waitTimeout(waitTimeout).build());
		}

		/**
		 * The longest time until the first waiter looks again where no change stream
		 * wakes it; n times that for the n-th.
		 * @param retryInterval whole milliseconds, at least 1
		 * @return this builder
		 */
		public Builder retryInterval(Duration retryInterval) {
			return say(LockSettings.builder().retryInterval(retryInterval).build());
		}

		/**
		 * Whether the lease is renewed while it is held.
		 * @param autoRenew whether to renew
		 * @return this builder
		 */
		public Builder autoRenew(boolean autoRenew) {
			return say(LockSettings.builder().autoRenew(autoRenew).build());
		}

		/**
		 * How long the lock stays taken at least, from its grant on, however soon its
		 * holder is done: for a job that all instances begin at the same time and only
		 * one may run. Nobody waits for it: the release leaves the rest to the lease in
		 * the store.
		 * @param minHold whole milliseconds, at most half of the retention of the TTL
		 * index; may be longer than the ttl
		 * @return this builder
		 */
		public Builder minHold(Duration minHold) {
			return say(LockSettings.builder().minHold(minHold).build());
		}

		/**
		 * How long the client keeps the lease that nobody here holds any more:
		 * {@link LockSettings.Builder#linger}.
		 * @param linger whole milliseconds, zero to release the lock at once
		 * @return this builder
		 */
		public Builder linger(Duration linger) {
			return say(LockSettings.builder().linger(linger).build());
		}

		/**
		 * The name of the one that asks, as people know it:
		 * {@link LockSettings.Builder#as}.
		 * @param as a name of 1 to {@value LockOwner#MAX_AS} characters
		 * @return this builder
		 * @throws IllegalArgumentException if it is no such name
		 */
		public Builder as(@Nullable String as) {
			return say(LockSettings.builder().as(as).build());
		}

		/**
		 * Whether the caller goes on without the lock if another holds it. With
		 * {@link OnUnavailable#SKIP} the claim does not wait unless a wait timeout is set
		 * on this builder or for the name of the lock (that for all locks does not
		 * count), and listeners hear of a skip. {@code execute} and {@code acquire} still
		 * say so by a {@link LockUnavailableException}.
		 * @param onUnavailable the policy
		 * @return this builder
		 */
		public Builder onUnavailable(OnUnavailable onUnavailable) {
			this.onUnavailable = onUnavailable;
			return this;
		}

		/**
		 * What happens to the holder if the lock is lost.
		 * @param onLost the policy
		 * @return this builder
		 */
		public Builder onLost(OnLost onLost) {
			this.onLost = onLost;
			return this;
		}

		/**
		 * How many may hold the lock together: a semaphore. Among several requests of one
		 * key the smallest limit counts. Cannot be combined with {@link #shared}.
		 * @param limit at least 1; 1 is an exclusive lock
		 * @return this builder
		 */
		public Builder limit(int limit) {
			return say(LockSettings.builder().limit(limit).build());
		}

		/**
		 * Let any number hold the lock together, but none beside an exclusive holder: the
		 * reading side of a read/write lock. Cannot be combined with a limit.
		 * @return this builder
		 */
		public Builder shared() {
			this.shared = true;
			return this;
		}

		/**
		 * The request.
		 * @return the request
		 * @throws IllegalArgumentException if the key, name or limit cannot be used, or
		 * the request is shared and has a limit
		 */
		public LockRequest build() {
			return new LockRequest(this.key, this.name, (this.shared) ? sharing(this.settings) : this.settings,
					this.onUnavailable, this.onLost);
		}

		private static LockSettings sharing(LockSettings settings) {
			Integer limit = settings.limit();
			if (limit != null && limit != UNLIMITED) {
				throw new IllegalArgumentException("The request is shared and has the limit " + limit
						+ ", but a shared lock has no limit. Keep limit if you want a semaphore, or shared if you want "
						+ "the reading side of a read/write lock");
			}
			return LockSettings.builder().limit(UNLIMITED).build().or(settings);
		}

		private Builder say(LockSettings more) {
			this.settings = more.or(this.settings);
			return this;
		}

	}

}
