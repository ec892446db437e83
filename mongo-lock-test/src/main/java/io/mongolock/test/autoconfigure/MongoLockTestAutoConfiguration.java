package io.mongolock.test.autoconfigure;

import org.assertj.core.api.AbstractAssert;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.store.LockStore;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.faults.LockFaults;

/**
 * Auto-configuration for tests whose locks are kept in memory.
 */
@AutoConfiguration(before = MongoLockAutoConfiguration.class)
public final class MongoLockTestAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockStore.class)
	InMemoryLockStore mongoLockInMemoryStore() {
		return new InMemoryLockStore();
	}

	/**
	 * The beans that need AssertJ.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(AbstractAssert.class)
	static class AssertionsConfiguration {

		// With the store behind the faults, because a test asks for holders even while
		// the store is down
		@Bean
		@ConditionalOnMissingBean
		LockAssertions mongoLockAssertions(ObjectProvider<LockStore> stores) {
			return new LockAssertions(
					stores.stream().filter((store) -> !(store instanceof LockFaults)).findFirst().orElseThrow());
		}

	}

}
