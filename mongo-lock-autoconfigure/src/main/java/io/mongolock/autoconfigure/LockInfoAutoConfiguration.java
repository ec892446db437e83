package io.mongolock.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

import io.mongolock.actuate.LockInfoContributor;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.LockLocation;

/**
 * Auto-configuration for the locks' part of the info endpoint.
 */
@Lazy
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledInfoContributor.class)
@ConditionalOnBean(LockStore.class)
@ConditionalOnEnabledInfoContributor("mongolock")
public final class LockInfoAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	static LockInfoContributor mongoLockInfoContributor(ConfiguredSettings configured,
			ObjectProvider<LockLocation> location) {
		LockLocation known = location.getIfAvailable();
		return new LockInfoContributor(configured, (known != null) ? known.namespace() : "");
	}

}
