package io.mongolock.integration;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.config.EnablePersistentDomainEvents;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.PublicationTargetIdentifier;
import org.springframework.modulith.events.core.TargetEventPublication;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.event.TransactionalEventListenerFactory;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.client.LockTemplate;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for events of Spring Modulith that instances resubmit under a lock.
 */
class ModulithTests {

	@AutoClose
	private final SuiteStore suite = new SuiteStore();

	private final LockStore store = this.suite.store();

	private final Publications publications = new Publications();

	private final Receipts receipts = new Receipts();

	private final ExecutorService starts = Executors.newCachedThreadPool();

	private final ApplicationContextRunner instance = new ApplicationContextRunner()
		.withBean(LockStore.class, () -> this.store)
		.withBean(Publications.class, () -> this.publications)
		.withBean(Receipts.class, () -> this.receipts)
		.withUserConfiguration(Modulith.class)
		.withConfiguration(
				AutoConfigurations.of(MongoLockAutoConfiguration.class, LockRegistryAutoConfiguration.class));

	@AfterEach
	void stop() {
		this.receipts.go.countDown();
		this.starts.shutdownNow();
	}

	@Test
	void theSecondInstanceFindsNothingLeft() {
		this.publications.create(TargetEventPublication.of(new Paid("7"),
				PublicationTargetIdentifier.of(Receipts.class.getName() + ".send(" + Paid.class.getName() + ")")));
		this.instance.run((one) -> this.instance.run((other) -> {
			Future<?> first = this.starts.submit(() -> resubmit(one));
			this.receipts.sending.await();
			Future<?> second = this.starts.submit(() -> resubmit(other));
			Awaitility.await().until(() -> other.getBean(LockTemplate.class).waiting() == 1);
			this.receipts.go.countDown();
			first.get(1, TimeUnit.MINUTES);
			second.get(1, TimeUnit.MINUTES);
			assertThat(this.receipts.sent).containsExactly("7");
		}));
	}

	private static Void resubmit(ApplicationContext instance) throws InterruptedException {
		instance.getBean(Resubmission.class).resubmit();
		return null;
	}

	/** The Java of docs/spring-integration.md. */
	static class Resubmission {

		private final LockRegistry<?> locks;

		private final IncompleteEventPublications events;

		Resubmission(LockRegistry<?> locks, IncompleteEventPublications events) {
			this.locks = locks;
			this.events = events;
		}

		void resubmit() throws InterruptedException {
			this.locks.executeLocked("incomplete-events",
					() -> this.events.resubmitIncompletePublications((event) -> true));
		}

	}

	record Paid(String order) {

	}

	static class Receipts {

		private final List<String> sent = new CopyOnWriteArrayList<>();

		private final CountDownLatch sending = new CountDownLatch(1);

		private final CountDownLatch go = new CountDownLatch(1);

		@TransactionalEventListener
		void send(Paid paid) throws InterruptedException {
			this.sending.countDown();
			this.go.await();
			this.sent.add(paid.order());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnablePersistentDomainEvents
	static class Modulith {

		@Bean
		TransactionalEventListenerFactory transactionalEventListenerFactory() {
			return new TransactionalEventListenerFactory();
		}

		@Bean
		Resubmission resubmission(LockRegistry<?> locks, IncompleteEventPublications events) {
			return new Resubmission(locks, events);
		}

	}

	/** The publications of all instances. */
	static final class Publications implements EventPublicationRepository {

		private final List<TargetEventPublication> incomplete = new CopyOnWriteArrayList<>();

		@Override
		public TargetEventPublication create(TargetEventPublication publication) {
			this.incomplete.add(publication);
			return publication;
		}

		@Override
		public void markCompleted(Object event, PublicationTargetIdentifier target, Instant at) {
			this.incomplete.removeIf((each) -> each.isAssociatedWith(event, target));
		}

		@Override
		public void markCompleted(UUID id, Instant at) {
			this.incomplete.removeIf((each) -> each.getIdentifier().equals(id));
		}

		@Override
		public List<TargetEventPublication> findIncompletePublications() {
			return List.copyOf(this.incomplete);
		}

		@Override
		public List<TargetEventPublication> findIncompletePublicationsPublishedBefore(Instant instant) {
			return findIncompletePublications();
		}

		@Override
		public Optional<TargetEventPublication> findIncompletePublicationsByEventAndTargetIdentifier(Object event,
				PublicationTargetIdentifier target) {
			return this.incomplete.stream().filter((each) -> each.isAssociatedWith(event, target)).findFirst();
		}

		@Override
		public void deletePublications(List<UUID> ids) {
			ids.forEach((id) -> markCompleted(id, Instant.EPOCH));
		}

		@Override
		public void deleteCompletedPublications() {
		}

		@Override
		public void deleteCompletedPublicationsBefore(Instant instant) {
		}

	}

}
