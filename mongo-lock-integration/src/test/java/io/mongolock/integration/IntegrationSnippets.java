package io.mongolock.integration;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.store.MessageGroupStore;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The Java of docs/spring-integration.md, which the tests run.
 */
@Configuration(proxyBeanMethods = false)
@EnableIntegration
class IntegrationSnippets {

	@Bean
	IntegrationFlow collect(LockRegistry<?> locks, MessageGroupStore groups) {
		return (flow) -> flow.aggregate((parts) -> parts.lockRegistry(locks).messageStore(groups))
			.channel((channels) -> channels.queue("collected"));
	}

	@Bean
	LockRegistryLeaderInitiator leader(LockRegistry<?> locks) {
		return new LockRegistryLeaderInitiator(locks);
	}

	/** What an application does with the registry itself. */
	static class Payments {

		private final MongoLockRegistry locks;

		private long lastFence;

		Payments(MongoLockRegistry locks) {
			this.locks = locks;
		}

		void pay(String order) throws InterruptedException {
			this.locks.executeLocked(order, () -> charge(order, this.locks.held(order).fence()));
		}

		private void charge(String order, long fence) {
			this.lastFence = fence;
		}

		long lastFence() {
			return this.lastFence;
		}

	}

}
