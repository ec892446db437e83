package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application that is closed, for example by DevTools at each restart, leaves no
 * thread.
 */
class NoThreadLeftTests {

	private final Set<Thread> before = ours();

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class, MongoLockAutoConfiguration.class));

	@Test
	void aClosedApplicationLeavesNoThread() {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			this.runner
				.withPropertyValues("spring.mongodb.uri=" + server.connectionString() + "/app",
						"mongo-lock.shutdown-timeout=1s")
				.run((context) -> {
					LockOperations locks = context.getBean(LockOperations.class);
					locks.acquire(LockRequest.of("kept"));
					locks.acquire(LockRequest.of("closed")).close();
					locks.acquireAsync(LockRequest.of("async")).join();
					locks.acquireAsync(LockRequest.of("kept"));
					assertThat(left()).anyMatch((name) -> name.startsWith("mongo-lock-watch"));
				});
			Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(left()).isEmpty());
		}
	}

	@Test
	void anApplicationWhoseStartFailsLeavesNoThread() {
		this.runner.withPropertyValues("spring.mongodb.uri=mongodb://127.0.0.1:1/app?serverSelectionTimeoutMS=50")
			.withBean("failing", Failing.class)
			.run((context) -> assertThat(context).hasFailed());
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(left()).isEmpty());
	}

	private Set<String> left() {
		return ours().stream()
			.filter((thread) -> !this.before.contains(thread))
			.map(Thread::getName)
			.collect(Collectors.toSet());
	}

	private static Set<Thread> ours() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("mongo-lock-")
					&& !thread.getName().startsWith("mongo-lock-embedded"))
			.collect(Collectors.toSet());
	}

	static class Failing {

		Failing(LockOperations locks) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> locks.acquire(LockRequest.builder("early").waitTimeout(Duration.ZERO).build()));
			throw new IllegalStateException("the start fails");
		}

	}

}
