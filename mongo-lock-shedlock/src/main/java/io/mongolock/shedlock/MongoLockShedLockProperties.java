package io.mongolock.shedlock;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the lock provider for ShedLock.
 *
 * @param shedlock locks of ShedLock
 */
@ConfigurationProperties("mongo-lock")
public record MongoLockShedLockProperties(@DefaultValue ShedLock shedlock) {

	/**
	 * Locks of ShedLock.
	 *
	 * @param collection ShedLock's collection, if older instances still use it; this
	 * library then respects their locks
	 */
	public record ShedLock(@DefaultValue("") String collection) {

	}

}
