package io.mongolock.client;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockTerms;

/**
 * What holds where a request says nothing: settings for its name, then for all locks.
 *
 * @param global settings for all locks
 * @param byName settings for the locks of one name
 */
public record LockDefaults(LockSettings global, Map<String, LockSettings> byName) {

	/**
	 * No settings of any kind.
	 */
	public static final LockDefaults NONE = new LockDefaults(LockSettings.NONE, Map.of());

	public LockDefaults {
		byName = Map.copyOf(byName);
	}

	/**
	 * The terms of a request.
	 * @param request the request
	 * @return its terms
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	public LockTerms terms(LockRequest request) {
		return terms(request.name(), request.settings());
	}

	/**
	 * The terms of requests with a name and settings.
	 * @param name the name, if any
	 * @param asked what the request says itself
	 * @return the terms
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	public LockTerms terms(@Nullable String name, LockSettings asked) {
		LockSettings named = (name != null) ? this.byName.getOrDefault(name, LockSettings.NONE) : LockSettings.NONE;
		return LockTerms.of(asked.or(named).or(this.global));
	}

}
