package io.mongolock.shedlock;

import java.time.Duration;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Fallback;

import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.client.UnlockedLockOperations;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.store.LockStore;

/**
 * Auto-configuration for the lock provider, if ShedLock is on the class path. If the
 * application has a provider that is built on this one, for example to keep locks alive,
 * that provider is used. The start refuses any other provider.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnClass(ExtensibleLockProvider.class)
@ConditionalOnBean({ LockOperations.class, LockEnvironment.class })
@EnableConfigurationProperties(MongoLockShedLockProperties.class)
public final class ShedLockAutoConfiguration {

	@Bean(ProviderCheck.OWN)
	@Fallback
	@DependsOn(LockEnvironment.VALIDATOR)
	@ConditionalOnMissingBean
	ExtensibleLockProvider mongoLockShedLockProvider(LockOperations locks, ObjectProvider<LockStore> store,
			LockEnvironment environment, ConfiguredSettings configured, LockOwner owner,
			MongoLockShedLockProperties properties, Probe probe) {
		Duration timeout = environment.operationTimeout();
		LeaseLockProvider own = new LeaseLockProvider(locks, new ExtendedLeases(store::getObject, timeout, configured),
				timeout);
		String collection = properties.shedlock().collection();
		if (collection.isEmpty() || locks instanceof UnlockedLockOperations) {
			// There are no older instances, or locks are switched off
			return probe.around(own);
		}
		return probe
			.around(new BothLocks(new ShedLockDocuments(environment.template(), collection, timeout, owner), own));
	}

	@Bean
	static Probe mongoLockShedLockProbe() {
		return new Probe();
	}

	@Bean
	static ProviderCheck mongoLockShedLockProviderCheck(ConfigurableListableBeanFactory beanFactory) {
		return new ProviderCheck(beanFactory);
	}

	@Bean
	ShedLockExtension mongoLockShedLockExtension(MongoLockShedLockProperties properties) {
		return new ShedLockExtension(properties);
	}

}
