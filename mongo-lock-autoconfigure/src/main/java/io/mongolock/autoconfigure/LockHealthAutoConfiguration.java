package io.mongolock.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.health.LockHealthIndicator;
import io.mongolock.health.LockTrouble;
import io.mongolock.health.WriteProof;
import io.mongolock.store.LockStore;

/**
 * Auto-configuration for the health of the locks.
 */
@Lazy
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean(LockStore.class)
@ConditionalOnEnabledHealthIndicator("mongolock")
public final class LockHealthAutoConfiguration {

	@Bean
	static WriteProof mongoLockWriteProof(LockClock clock) {
		return new WriteProof(clock);
	}

	@Bean
	static LockTrouble mongoLockTrouble(LockClock clock, WriteProof proof) {
		return new LockTrouble(clock, proof);
	}

	@Bean
	@ConditionalOnMissingBean(name = "mongoLockHealthIndicator")
	static LockHealthIndicator mongoLockHealthIndicator(LockStore store, ConfiguredSettings configured,
			LockTrouble trouble, LockOwner owner) {
		return new LockHealthIndicator(store, configured.terms().operationTimeout(), trouble, owner);
	}

}
