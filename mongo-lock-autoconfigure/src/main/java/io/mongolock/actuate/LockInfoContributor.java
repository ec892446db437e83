package io.mongolock.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

import io.mongolock.core.ConfiguredSettings;

/**
 * The part {@code mongoLock} of the info endpoint: the collection of the locks, and the
 * settings of leases and waits. Sends no request to a server. Thread-safe.
 */
public final class LockInfoContributor implements InfoContributor {

	private final ConfiguredSettings configured;

	private final String collection;

	/**
	 * Create a contributor.
	 * @param collection the collection of the locks, empty if unknown
	 */
	public LockInfoContributor(ConfiguredSettings configured, String collection) {
		this.configured = configured;
		this.collection = collection;
	}

	@Override
	public void contribute(Info.Builder builder) {
		Map<String, Object> details = new LinkedHashMap<>();
		if (!this.collection.isEmpty()) {
			details.put("collection", this.collection);
		}
		details.put("settings", this.configured.terms().toText());
		List<String> named = this.configured.byName().keySet().stream().sorted().toList();
		details.put("settingsOfTheirOwn", named);
		builder.withDetail("mongoLock", details);
	}

}
