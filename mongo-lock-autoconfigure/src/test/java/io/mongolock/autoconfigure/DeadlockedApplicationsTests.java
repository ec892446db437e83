package io.mongolock.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.mongodb.client.MongoClients;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockDeadlock;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications on one server, a real one if there is one, of which one locks a and
 * then b, and the other b and then a.
 */
@Timeout(120)
class DeadlockedApplicationsTests {

	private static final String DATABASE = "deadlocked";

	private final Optional<String> given = SuiteServer.get().uri();

	private final @Nullable EmbeddedMongo embedded = (this.given.isEmpty())
			? EmbeddedMongo.builder().replicaSet().start() : null;

	private final String uri = this.given.orElseGet(() -> this.embedded.connectionString());

	private final CyclicBarrier together = new CyclicBarrier(2);

	private final Set<String> knowing = ConcurrentHashMap.newKeySet();

	@AfterEach
	void stop() {
		try (var client = MongoClients.create(this.uri)) {
			client.getDatabase(DATABASE).drop();
		}
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

	@Test
	void eachOfThemNamesTheDeadlock() {
		application().run((one) -> application().run((other) -> {
			CompletableFuture<LockUnavailableException> first = inThread(() -> waitInVain(one, "a", "b"));
			CompletableFuture<LockUnavailableException> second = inThread(() -> waitInVain(other, "b", "a"));
			assertThat(List.of(first.join(), second.join()))
				.allSatisfy((failure) -> assertThat(failure.getDeadlock().orElseThrow().waits())
					.extracting(LockDeadlock.Wait::key)
					.containsExactlyInAnyOrder("x:a", "x:b"));
			for (ApplicationContext application : List.of(one, other)) {
				Ear ear = application.getBean(Ear.class);
				Awaitility.await().until(() -> !ear.heard.isEmpty());
				assertThat(ear.heard.get(0).waits()).hasSize(2);
				assertThat(application.getBean(MeterRegistry.class).get("mongo.lock.deadlocks").counter().count())
					.isPositive();
			}
		}));
	}

	@Test
	void whenTheYoungestIsToFailThenOneOfThemFailsAndTheOtherGoesOn() {
		ApplicationContextRunner failing = application().withPropertyValues("mongo-lock.on-deadlock=fail",
				"mongo-lock.wait-timeout=10m");
		failing.run((one) -> failing.run((other) -> {
			List<Optional<LockDeadlock>> ends = Stream
				.of(inThread(() -> lockBoth(one, "a", "b")), inThread(() -> lockBoth(other, "b", "a")))
				.map(CompletableFuture::join)
				.toList();
			assertThat(ends).filteredOn(Optional::isEmpty).as("who goes on").hasSize(1);
			assertThat(ends).filteredOn(Optional::isPresent)
				.singleElement()
				.satisfies((deadlock) -> assertThat(deadlock.orElseThrow().waits()).extracting(LockDeadlock.Wait::key)
					.containsExactlyInAnyOrder("x:a", "x:b"));
		}));
	}

	// The deadlock with which it failed, if it did
	private Optional<LockDeadlock> lockBoth(ApplicationContext application, String first, String second) {
		Nested nested = application.getBean(Nested.class);
		return nested.locked(first, () -> {
			meet();
			try {
				return nested.locked(second, Optional::empty);
			}
			catch (LockUnavailableException ex) {
				return Optional.of(ex.getDeadlock().orElseThrow());
			}
		});
	}

	private ApplicationContextRunner application() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
					MongoLockAutoConfiguration.class, LockMetricsAutoConfiguration.class))
			.withPropertyValues("spring.mongodb.uri=" + this.uri, "spring.mongodb.database=" + DATABASE,
					"mongo-lock.wait-timeout=4s")
			.withBean(SimpleMeterRegistry.class)
			.withBean(Ear.class)
			.withBean(Nested.class);
	}

	// Both keep what they hold until both know
	private LockUnavailableException waitInVain(ApplicationContext application, String first, String second) {
		LockOperations locks = application.getBean(LockOperations.class);
		return application.getBean(Nested.class).locked(first, () -> {
			meet();
			LockUnavailableException known = null;
			// A machine that stood still has not looked in time
			while (this.knowing.size() < 2) {
				try {
					locks.execute(LockRequest.of("x", second), LockHandle::fence);
					assertThat(known).as("got both locks").isNotNull();
				}
				catch (LockUnavailableException ex) {
					if (ex.getDeadlock().isPresent()) {
						known = ex;
						this.knowing.add(first);
					}
				}
			}
			return Objects.requireNonNull(known);
		});
	}

	private void meet() {
		try {
			this.together.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException | BrokenBarrierException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static <T> CompletableFuture<T> inThread(Supplier<T> task) {
		return CompletableFuture.supplyAsync(task, (run) -> new Thread(run).start());
	}

	static class Nested {

		@DistributedLock(name = "x", key = "#key")
		<T> T locked(String key, Supplier<T> work) {
			return work.get();
		}

	}

	static class Ear {

		private final List<LockDeadlock> heard = new CopyOnWriteArrayList<>();

		@EventListener
		void hear(LockApplicationEvent.Deadlocked event) {
			this.heard.add(event.deadlock());
		}

	}

}
