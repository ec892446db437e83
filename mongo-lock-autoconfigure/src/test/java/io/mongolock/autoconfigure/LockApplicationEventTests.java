package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.EventListener;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.event.spring.LockEventPublisher;
import io.mongolock.observation.LockMdc;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for events of Spring and the diagnostic context of the log in an application.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockApplicationEventTests {

	private final ApplicationContextRunner context = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
		.withBean(ScriptedStore.class);

	@Test
	void eventsAreHeardInTheirOrderOnAThreadOfTheLibrary() {
		this.context.withBean(Ear.class).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			locks.execute(LockRequest.of("order", 7), (held) -> held.fence());
			Ear ear = context.getBean(Ear.class);
			Awaitility.await().until(() -> ear.heard.size() == 2);
			assertThat(ear.heard).containsExactly("Granted order:7", "Released order:7");
			assertThat(ear.threads).allMatch((thread) -> thread.startsWith("mongo-lock-events-"));
		});
	}

	@Test
	void lossesAreHeard() {
		this.context.withBean(Ear.class).run((context) -> {
			context.getBean(LockOperations.class).acquire(LockRequest.of("order", 7));
			Ear ear = context.getBean(Ear.class);
			// While the application hears events: one that closes may be deaf already
			context.getBean(LockTemplate.class).stop(Duration.ofSeconds(5));
			Awaitility.await().until(() -> ear.lost.equals(List.of("order:7")));
		});
	}

	@Test
	void aLossAtTheEndOfAStartThatFailedIsNoFailureOfAListener(CapturedOutput output) {
		this.context.withPropertyValues("mongo-lock.shutdown-timeout=100ms").withBean("fails", Object.class, () -> {
			throw new IllegalStateException("fails");
		}, (definition) -> definition.setDependsOn("holds"))
			.withBean("holds", Holder.class)
			.withBean("ear", ApplicationListener.class, () -> Mockito.mock(ApplicationListener.class))
			.run((context) -> {
				assertThat(context).hasFailed();
				Awaitility.await().until(() -> output.toString().contains("was lost"));
				assertThat(output).doesNotContain("LockEventPublisher failed");
			});
	}

	@Test
	void grantsAndReleasesAreNotPublishedWhereNobodyListens() {
		this.context
			.run((context) -> assertThat(context.getBean(LockEventPublisher.class).hearsGrantsAndReleases()).isFalse());
		this.context.withBean(Ear.class)
			.run((context) -> assertThat(context.getBean(LockEventPublisher.class).hearsGrantsAndReleases()).isTrue());
	}

	@Test
	void theLockIsInTheDiagnosticContextOfTheWorkUnderIt() {
		this.context.run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			assertThat(locks.<String, RuntimeException>execute(LockRequest.of("order", 7),
					(held) -> MDC.get("lock.key") + " " + (Long.parseLong(MDC.get("lock.fence")) - held.fence())))
				.isEqualTo("order:7 0");
			assertThat(MDC.get("lock.key")).isNull();
			assertThat(locks
				.executeAsync(LockRequest.of("order", 8),
						(held) -> CompletableFuture.completedFuture(MDC.get("lock.key")))
				.join()).isEqualTo("order:8");
		});
	}

	@Test
	void withoutSlf4jThereIsNoDiagnosticContext() {
		this.context.withClassLoader(new FilteredClassLoader("org.slf4j"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMdc.class));
	}

	@Test
	void anApplicationMayHaveADiagnosticContextOfItsOwn() {
		this.context.withBean("own", LockMdc.class)
			.run((context) -> assertThat(context).hasSingleBean(LockMdc.class).hasBean("own"));
	}

	static class Holder {

		Holder(LockOperations locks) {
			locks.acquire(LockRequest.of("order", 7));
		}

	}

	static class Ear {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		private final List<String> lost = new CopyOnWriteArrayList<>();

		@EventListener
		void on(LockApplicationEvent.Granted event) {
			this.threads.add(Thread.currentThread().getName());
			this.heard.add("Granted " + event.lock().key());
		}

		@EventListener
		void on(LockApplicationEvent.Released event) {
			this.threads.add(Thread.currentThread().getName());
			this.heard.add("Released " + event.lock().key());
		}

		@EventListener
		void on(LockApplicationEvent.Lost event) {
			this.lost.add(event.lock().key());
		}

	}

}
