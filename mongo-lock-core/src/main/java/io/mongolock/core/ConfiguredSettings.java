package io.mongolock.core;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnUnavailable;

/**
 * The settings that are configured for all locks, and for the locks of each name.
 * Combines them with the settings of a request into its terms. {@link LockTerms} has the
 * defaults for the rest. The terms of requests without settings of their own are made
 * once for each name that has settings. Thread-safe.
 */
public final class ConfiguredSettings {

	/** For callers that go on without the lock. */
	private static final LockSettings NO_WAIT = LockSettings.builder().waitTimeout(Duration.ZERO).build();

	/**
	 * No settings of any kind.
	 */
	public static final ConfiguredSettings NONE = new ConfiguredSettings(LockSettings.NONE, Map.of());

	private final LockSettings global;

	private final Map<String, LockSettings> byName;

	private final @Nullable Duration retention;

	/**
	 * By the names that have settings. All other names share the terms of the empty text.
	 */
	private final Map<String, LockTerms> terms = new ConcurrentHashMap<>();

	/**
	 * Settings of an application.
	 * @param global settings for all locks
	 * @param byName the settings for the locks of each name
	 * @param retention how long the store keeps an untouched document, {@code null} for
	 * ever. A ttl and a minimum hold can be at most half of that
	 */
	public ConfiguredSettings(LockSettings global, Map<String, LockSettings> byName, @Nullable Duration retention) {
		this.global = global;
		this.byName = Map.copyOf(byName);
		this.retention = retention;
	}

	/**
	 * Settings for a store that keeps everything.
	 */
	public ConfiguredSettings(LockSettings global, Map<String, LockSettings> byName) {
		this(global, byName, null);
	}

	/**
	 * The property that configures the locks of a name, as people write it.
	 * @return the property in front of the single settings
	 */
	public static String property(String name) {
		return "mongo-lock.locks" + ((name.matches("[\\p{Alnum}-]+")) ? "." + name : "[" + name + "]");
	}

	/**
	 * The settings for all locks.
	 */
	public LockSettings global() {
		return this.global;
	}

	/**
	 * The settings for the locks of each name.
	 */
	public Map<String, LockSettings> byName() {
		return this.byName;
	}

	/**
	 * The terms of requests without a name and without settings.
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	public LockTerms terms() {
		return terms(null, LockSettings.NONE);
	}

	/**
	 * The terms of a request.
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	public LockTerms terms(LockRequest request) {
		return (request.onUnavailable() == OnUnavailable.SKIP)
				? resolve(request.settings().or(named(request.name())).or(NO_WAIT.or(this.global)))
				: terms(request.name(), request.settings());
	}

	/**
	 * Check a request that will be made later.
	 * @throws InvalidLockSettingsException if the settings contradict each other, or the
	 * limit cannot be used
	 */
	public void check(LockRequest request) {
		terms(request);
		limit(request);
	}

	/**
	 * How many may hold the lock of a request at the same time.
	 * @return the limit, 1 if none is set
	 * @throws InvalidLockSettingsException if the limit is below 1, or the request is
	 * shared and its name has a limit
	 */
	public int limit(LockRequest request) {
		return limit(request.name(), request.settings());
	}

	/**
	 * How many may hold a lock at the same time, for requests with a name and settings.
	 * @param name the name, {@code null} for none
	 * @return the limit, 1 if none is set
	 * @throws InvalidLockSettingsException if the limit is below 1, or the request is
	 * shared and its name has a limit
	 */
	public int limit(@Nullable String name, LockSettings asked) {
		Integer named = named(name).limit();
		Integer limit = (asked.limit() != null) ? asked.limit() : named;
		if (named != null && limit != null && limit == LockRequest.UNLIMITED) {
			throw new InvalidLockSettingsException("limit", named,
					"is set for the name of the lock, but the request is shared, and shared requests have no limit. "
							+ "Remove the limit from the settings of this name, or leave 'shared' out of the request. "
							+ "Shared and exclusive requests of one key make a read/write lock. Requests with a limit "
							+ "make a semaphore");
		}
		if (limit != null && limit < 1) {
			throw new InvalidLockSettingsException("limit", limit, "must be at least 1");
		}
		return (limit != null) ? limit : 1;
	}

	/**
	 * The terms of requests with a name and settings.
	 * @param name the name, {@code null} for none
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	public LockTerms terms(@Nullable String name, LockSettings asked) {
		if (!asked.equals(LockSettings.NONE)) {
			return resolve(asked.or(named(name)).or(this.global));
		}
		// Names are never blank, so the empty text is free
		String key = (name != null && this.byName.containsKey(name)) ? name : "";
		LockTerms known = this.terms.get(key);
		if (known == null) {
			known = resolve(named(name).or(this.global));
			this.terms.put(key, known);
		}
		return known;
	}

	private LockTerms resolve(LockSettings settings) {
		LockTerms terms = LockTerms.of(settings);
		checkRetention("ttl", terms.ttl(), "held");
		checkRetention("min-hold", terms.minHold(), "kept");
		return terms;
	}

	private void checkRetention(String setting, Duration value, String state) {
		if (this.retention != null && value.toMillis() > this.retention.toMillis() / 2) {
			throw new InvalidLockSettingsException(setting, value,
					"must be at most half of mongo-lock.ttl-index.retention (" + DurationPrinter.print(this.retention)
							+ "), so that no document is removed while its lock is " + state);
		}
	}

	private LockSettings named(@Nullable String name) {
		return (name != null) ? this.byName.getOrDefault(name, LockSettings.NONE) : LockSettings.NONE;
	}

}
