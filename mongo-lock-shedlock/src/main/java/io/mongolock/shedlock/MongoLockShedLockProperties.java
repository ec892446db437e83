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
	 * @param collection ShedLock's collection of older instances, which are respected
	 * while it is set
	 */
	public record ShedLock(@DefaultValue("") String collection) {

	}

}
