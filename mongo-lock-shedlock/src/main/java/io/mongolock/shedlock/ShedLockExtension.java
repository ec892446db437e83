package io.mongolock.shedlock;

import java.util.List;
import java.util.Set;

import io.mongolock.spi.LockExtension;

/**
 * Adds ShedLock to the locks of the application.
 *
 * @param properties the settings
 */
record ShedLockExtension(MongoLockShedLockProperties properties) implements LockExtension {

	@Override
	public List<Class<? extends Record>> settings() {
		return List.of(MongoLockShedLockProperties.class);
	}

	@Override
	public void check(SettingChecks checks) {
		String collection = this.properties.shedlock().collection();
		if (!collection.isEmpty()) {
			checks.collection("shedlock.collection", collection);
			if (collection.equals(checks.lockCollection())) {
				throw checks.invalid("shedlock.collection", collection,
						"holds the locks of this library. Name the collection of ShedLock's own documents");
			}
		}
	}

	@Override
	public Set<String> collections() {
		String collection = this.properties.shedlock().collection();
		return (collection.isEmpty()) ? Set.of() : Set.of(collection);
	}

}
