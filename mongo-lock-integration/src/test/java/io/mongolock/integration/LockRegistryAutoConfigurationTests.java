package io.mongolock.integration;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.store.StoredHolder;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockRegistryAutoConfiguration}.
 */
class LockRegistryAutoConfigurationTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withBean(InMemoryLockStore.class, () -> this.store)
		.withConfiguration(
				AutoConfigurations.of(LockRegistryAutoConfiguration.class, MongoLockAutoConfiguration.class));

	@Test
	void theRegistryIsThereByAllItsTypes() {
		this.application.withUserConfiguration(Injected.class)
			.run((context) -> assertThat(context).hasSingleBean(Registries.class)
				.getBean(Registries.class)
				.extracting(Registries::distributed, Registries::renewable, Registries::expirable)
				.containsOnly(context.getBean(MongoLockRegistry.class)));
	}

	@Test
	void theSettingsOfItsNameApply() {
		this.application.withPropertyValues("mongo-lock.locks.integration.ttl=13m").run((context) -> {
			context.getBean(MongoLockRegistry.class).obtain("k").lock();
			assertThat(this.store.find("integration:k", Duration.ofSeconds(1)).orElseThrow().holders())
				.extracting(StoredHolder::ttl)
				.containsExactly(Duration.ofMinutes(13));
			context.getBean(MongoLockRegistry.class).obtain("k").unlock();
		});
	}

	@Test
	void anotherRegistryOfTheApplicationIsLeftAlone() {
		this.application.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(MongoLockRegistry.class));
	}

	@Test
	void thereIsNoneWithoutSpringIntegration() {
		this.application.withClassLoader(new FilteredClassLoader(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("mongoLockRegistry"));
	}

	@Test
	void thereIsNoneWithoutLockOperations() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockRegistryAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
	}

	@Test
	void withoutLocksTheRegistryLocksNothing() {
		this.application.withPropertyValues("mongo-lock.enabled=false").run((context) -> {
			context.getBean(MongoLockRegistry.class).obtain("k").lock();
			assertThat(this.store.find("integration:k", Duration.ofSeconds(1))).isEmpty();
			context.getBean(MongoLockRegistry.class).obtain("k").unlock();
		});
	}

	record Registries(LockRegistry<DistributedLock> distributed, RenewableLockRegistry<DistributedLock> renewable,
			ExpirableLockRegistry<DistributedLock> expirable) {

	}

	@Configuration(proxyBeanMethods = false)
	static class Injected {

		@Bean
		Registries registries(LockRegistry<DistributedLock> distributed,
				RenewableLockRegistry<DistributedLock> renewable, ExpirableLockRegistry<DistributedLock> expirable) {
			return new Registries(distributed, renewable, expirable);
		}

	}

}
