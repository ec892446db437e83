package io.mongolock.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.store.MessageGroupStore;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.client.LockTemplate;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what Spring Integration does with the registry, in two instances of an
 * application.
 */
class SpringIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	@AutoClose
	private final SuiteStore suite = new SuiteStore();

	private final LockStore store = this.suite.store();

	private final WatchedGroups groups = new WatchedGroups();

	private final ExecutorService senders = Executors.newCachedThreadPool();

	private final ApplicationContextRunner instance = new ApplicationContextRunner()
		.withBean(LockStore.class, () -> this.store)
		.withBean(MessageGroupStore.class, () -> this.groups)
		.withUserConfiguration(IntegrationSnippets.class)
		.withConfiguration(
				AutoConfigurations.of(MongoLockAutoConfiguration.class, LockRegistryAutoConfiguration.class));

	@AfterEach
	void stop() {
		this.senders.shutdownNow();
	}

	@Test
	void anAggregatorReleasesEachGroupOnceAndWhole() {
		this.instance.run((one) -> this.instance.run((other) -> {
			List<Future<?>> sending = new ArrayList<>();
			for (int part = 0; part < 4; part++) {
				MessageChannel input = ((part % 2 == 0) ? one : other).getBean("collect.input", MessageChannel.class);
				int number = part;
				sending.add(this.senders.submit(() -> send(input, number)));
			}
			for (Future<?> each : sending) {
				each.get(1, TimeUnit.MINUTES);
			}
			List<Message<?>> collected = Stream.of(one, other).flatMap(SpringIntegrationTests::collected).toList();
			assertThat(collected).extracting(Message::getPayload)
				.hasSize(20)
				.allSatisfy((parts) -> assertThat((Collection<?>) parts).hasSize(4));
			assertThat(this.groups.overlapped).isFalse();
		}));
	}

	private static void send(MessageChannel input, int part) {
		for (int order = 0; order < 20; order++) {
			input.send(MessageBuilder.withPayload(part)
				.setCorrelationId(order)
				.setSequenceNumber(part + 1)
				.setSequenceSize(4)
				.build());
		}
	}

	private static Stream<Message<?>> collected(ApplicationContext context) {
		return context.getBean("collected", QueueChannel.class).clear().stream();
	}

	@Test
	void oneLeadsAndTheOtherDoesWhenTheFirstEnds() {
		this.instance.run((one) -> {
			awaitLeader(one);
			this.instance.run((other) -> {
				leader(one).stop();
				awaitLeader(other);
				assertThat(leader(one).getContext().isLeader()).isFalse();
			});
		});
	}

	@Test
	void aLeaderWhoseLockIsLostStepsDownAndStandsAgain() {
		this.instance.withBean(Leadership.class).run((context) -> {
			awaitLeader(context);
			String key = "integration:" + new DefaultCandidate().getRole();
			StoredHolder holder = this.store.find(key, TIMEOUT).orElseThrow().holders().get(0);
			this.store.release(new LeaseId(key, holder.leaseToken()), TIMEOUT);
			context.getBean(LockTemplate.class).renew(key);
			Awaitility.await()
				.untilAsserted(() -> assertThat(context.getBean(Leadership.class).heard).startsWith("granted",
						"revoked", "granted"));
		});
	}

	@Test
	void workIsGivenTheFence() {
		this.instance.run((context) -> {
			IntegrationSnippets.Payments payments = new IntegrationSnippets.Payments(
					context.getBean(MongoLockRegistry.class));
			payments.pay("7");
			long first = payments.lastFence();
			payments.pay("7");
			assertThat(payments.lastFence()).isGreaterThan(first);
		});
	}

	private static void awaitLeader(ApplicationContext context) {
		Awaitility.await().until(() -> leader(context).getContext().isLeader());
	}

	private static LockRegistryLeaderInitiator leader(ApplicationContext context) {
		return context.getBean(LockRegistryLeaderInitiator.class);
	}

	/** What Spring Integration publishes. */
	static class Leadership {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		@EventListener
		void on(OnGrantedEvent event) {
			this.heard.add("granted");
		}

		@EventListener
		void on(OnRevokedEvent event) {
			this.heard.add("revoked");
		}

	}

	/** Notices two that add to one group at the same time. */
	private static final class WatchedGroups extends SimpleMessageStore {

		private final Set<Object> adding = ConcurrentHashMap.newKeySet();

		private volatile boolean overlapped;

		@Override
		public void addMessagesToGroup(Object groupId, Message<?>... messages) {
			if (!this.adding.add(groupId)) {
				this.overlapped = true;
			}
			// Long enough for another to come in, unless a lock keeps it out
			LockSupport.parkNanos(1_000_000);
			super.addMessagesToGroup(groupId, messages);
			this.adding.remove(groupId);
		}

	}

}
