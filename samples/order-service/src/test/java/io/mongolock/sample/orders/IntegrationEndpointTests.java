package io.mongolock.sample.orders;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.annotation.Poller;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.GenericMessage;

import io.mongolock.LockContext;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a lock on an endpoint of Spring Integration.
 */
class IntegrationEndpointTests {

	private final Endpoints endpoints = new Endpoints();

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withUserConfiguration(Channels.class)
		.withBean(Endpoints.class, () -> this.endpoints)
		.withBean(InMemoryLockStore.class)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@Test
	void aMessageIsHandledUnderTheLockOnTheThreadOfItsSender() {
		this.application.run((context) -> {
			context.getBean("direct", MessageChannel.class).send(new GenericMessage<>("a"));
			assertThat(this.endpoints.handled).containsExactly("message:a on " + Thread.currentThread().getName());
		});
	}

	/**
	 * As each container of listeners does that asks for messages on threads of its own.
	 */
	@Test
	void aMessageThatAPollerFetchesIsHandledUnderTheLock() {
		this.application.run((context) -> {
			context.getBean("queue", MessageChannel.class).send(new GenericMessage<>("b"));
			Awaitility.await().until(() -> !this.endpoints.handled.isEmpty());
			assertThat(this.endpoints.handled).singleElement()
				.asString()
				.startsWith("message:b on ")
				.doesNotEndWith(Thread.currentThread().getName());
		});
	}

	static class Endpoints {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@DistributedLock(name = "message", key = "#p0")
		@ServiceActivator(inputChannel = "direct")
		void handle(String text) {
			note();
		}

		@DistributedLock(name = "message", key = "#p0")
		@ServiceActivator(inputChannel = "queue", poller = @Poller(fixedDelay = "10"))
		void fetch(String text) {
			note();
		}

		// Fails where the thread works under no lock
		private void note() {
			this.handled.add(LockContext.current().key() + " on " + Thread.currentThread().getName());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Channels {

		@Bean
		DirectChannel direct() {
			return new DirectChannel();
		}

		@Bean
		QueueChannel queue() {
			return new QueueChannel();
		}

	}

}
