package io.mongolock.leader;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the elections.
 *
 * @param leader elections of a leader
 */
@ConfigurationProperties("mongo-lock")
public record MongoLockLeaderProperties(@DefaultValue Leader leader) {

	/**
	 * Elections of a leader.
	 *
	 * @param onlyWhenReady whether this instance may lead only while its readiness state
	 * accepts traffic
	 */
	public record Leader(@DefaultValue("true") boolean onlyWhenReady) {

	}

}
