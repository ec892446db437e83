package io.mongolock.autoconfigure;

import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.LockClock;
import io.mongolock.LockOperations;
import io.mongolock.client.UnlockedLockOperations;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.spi.LockStartupException;

/**
 * Lets all methods and work run without locks.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSetting(name = "enabled", havingValue = false, byDefault = true)
@ConditionalOnMissingBean(LockOperations.class)
class UnlockedConfiguration {

	@Bean
	UnlockedLockOperations mongoLockOperations(MongoLockProperties properties, ConfiguredSettings configured,
			LockClock clock, CallerContext callerContext) {
		if (properties.enabled()) {
			// After ahead-of-time processing, conditions are not evaluated again
			throw new LockStartupException(
					"The application was processed ahead of time with mongo-lock.enabled=false, but is started with "
							+ "mongo-lock.enabled=true, so locked methods and LockOperations would run without locks.",
					"Build the application again with mongo-lock.enabled=true, or start it with "
							+ "mongo-lock.enabled=false.");
		}
		LogFactory.getLog(UnlockedConfiguration.class)
			.warn("mongo-lock.enabled=false makes locked methods and LockOperations run WITHOUT locks, so other "
					+ "instances may do the same work at the same time");
		return new UnlockedLockOperations(configured, clock, callerContext);
	}

}
