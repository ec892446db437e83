package io.mongolock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;

/**
 * The property by which a setting is, or would be, configured.
 *
 * @param name the name of the locks that it is for, {@code null} for all locks
 * @param setting the setting, for example {@code renew-interval}
 */
record LockProperty(@Nullable String name, String setting) {

	/**
	 * Find the property to change if a setting is refused. This is the property that sets
	 * it, or that sets the value from which it was derived.
	 * @param name the name of the locks, if any
	 */
	static LockProperty find(String setting, @Nullable String name, ConfiguredSettings configured) {
		for (String one : List.of(setting, "operation-timeout", "renew-interval", "margin", "ttl")) {
			for (LockProperty candidate : List.of(new LockProperty(name, one), new LockProperty(null, one))) {
				if (candidate.valueIn(configured) != null) {
					return candidate;
				}
			}
		}
		return new LockProperty(null, setting);
	}

	@Nullable Object valueIn(ConfiguredSettings configured) {
		LockSettings settings = (this.name != null) ? configured.byName().getOrDefault(this.name, LockSettings.NONE)
				: configured.global();
		return switch (this.setting) {
			case "ttl" -> settings.ttl();
			case "margin" -> settings.margin();
			case "renew-interval" -> settings.renewInterval();
			case "operation-timeout" -> settings.operationTimeout();
			case "wait-timeout" -> settings.waitTimeout();
			case "retry-interval" -> settings.retryInterval();
			case "min-hold" -> settings.minHold();
			case "linger" -> settings.linger();
			case "limit" -> settings.limit();
			default -> null;
		};
	}

	String fullName() {
		return ((this.name != null) ? ConfiguredSettings.property(this.name) : MongoLockProperties.PREFIX) + "."
				+ this.setting;
	}

}
