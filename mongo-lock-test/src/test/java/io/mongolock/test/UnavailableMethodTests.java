package io.mongolock.test;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

import io.mongolock.LockHandle;
import io.mongolock.LockMode;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods whose lock is not free, in an application: each answer with each way to hold a
 * lock.
 */
class UnavailableMethodTests {

	private static final LockUnavailableHandler BUSY = (call, ex) -> (call.resultType() == String.class)
			? "busy " + ex.getKey() : null;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
		.withPropertyValues("mongo-lock.wait-timeout=0s")
		.withBean(LockStore.class, InMemoryLockStore::new)
		.withBean("busy", LockUnavailableHandler.class, () -> BUSY)
		.withBean(Jobs.class)
		.withBean(Handled.class);

	@Test
	void theExceptionOfAMethodSaysWhoHoldsTheLock() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			try (LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("a"))) {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(jobs::plain).satisfies((ex) -> {
					assertThat(ex.getHolders()).singleElement()
						.satisfies((holder) -> assertThat(holder.fence()).isEqualTo(held.fence()));
					assertThat(ex).hasMessageContaining(" since ").hasMessageContaining("the lease ends at ");
				});
			}
		});
	}

	@Test
	void aLockThatOnlyStaysTakenIsNotFree() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.kept()).isEqualTo("ran");
			assertThat(jobs.kept()).isEqualTo("fell back");
			assertThat(jobs.keptOrSkipped()).isEqualTo(1);
			assertThat(jobs.keptOrSkipped()).isZero();
			assertThat(jobs.keptOrHandled()).isEqualTo("ran");
			assertThat(jobs.keptOrHandled()).isEqualTo("busy handled");
		});
	}

	@Test
	void aSemaphoreIsNotFreeIfAsManyHoldItAsMay() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.both(() -> jobs.outer("a", () -> jobs.both(() -> "inner")))).isEqualTo("inner");
			LockRequest request = LockRequest.builder("two").limit(2).build();
			LockOperations locks = context.getBean(LockOperations.class);
			try (LockHandle first = locks.acquire(request); LockHandle second = locks.acquire(request)) {
				assertThat(jobs.both(() -> "ran")).as(first + ", " + second).isEqualTo("fell back");
			}
		});
	}

	@Test
	void aReaderIsAnsweredWhileAWriterWrites() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			LockOperations locks = context.getBean(LockOperations.class);
			try (LockHandle reader = locks.acquire(LockRequest.builder("book").shared().build())) {
				assertThat(jobs.read()).as(reader.toString()).isEqualTo("read");
			}
			try (LockHandle writer = locks.acquire(LockRequest.of("book"))) {
				assertThat(jobs.read()).as(writer.toString()).isEqualTo("busy book");
			}
		});
	}

	@Test
	void aHandlerIsForAllMethodsOfAClassAndForAllThatAnAnnotationIsOn() {
		this.runner.run((context) -> {
			Handled handled = context.getBean(Handled.class);
			try (LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("all"))) {
				assertThat(handled.one()).as(held.toString()).isEqualTo("busy all");
				assertThat(handled.other()).isNull();
				assertThat(handled.composed()).isEqualTo("busy all");
			}
		});
	}

	@Test
	void aPropertyNamesTheHandlerOfThoseThatSayNothingElse() {
		this.runner.withPropertyValues("mongo-lock.unavailable-handler=busy").run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			try (LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("a"))) {
				assertThat(jobs.plain()).as(held.toString()).isEqualTo("busy a");
				assertThat(jobs.skipped()).isNull();
				assertThat(jobs.fallenBack()).isEqualTo("fell back");
			}
		});
	}

	@Test
	void aPropertyThatNamesNoHandlerIsRefused() {
		this.runner.withPropertyValues("mongo-lock.unavailable-handler=bussy")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("has the unavailableHandler 'bussy', but there is no such bean")
				.hasMessageContaining("mongo-lock.unavailable-handler"));
	}

	@Test
	void unlockedNothingIsAnsweredInPlaceOfTheMethod() {
		this.runner.withPropertyValues("mongo-lock.enabled=false").run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.kept() + jobs.kept()).isEqualTo("ranran");
		});
	}

	public static class Jobs {

		@DistributedLock("a")
		public String plain() {
			return "ran";
		}

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP)
		public String skipped() {
			return "ran";
		}

		@DistributedLock(name = "a", fallback = "fallBack")
		public String fallenBack() {
			return "ran";
		}

		@DistributedLock(name = "kept", minHold = "10m", fallback = "fallBack")
		public String kept() {
			return "ran";
		}

		@DistributedLock(name = "skipped", minHold = "10m", onUnavailable = OnUnavailable.SKIP)
		public Integer keptOrSkipped() {
			return 1;
		}

		@DistributedLock(name = "handled", minHold = "10m", unavailableHandler = "busy")
		public String keptOrHandled() {
			return "ran";
		}

		@DistributedLock(name = "two", limit = "2", fallback = "withoutBoth")
		public String both(Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(key = "#key")
		public String outer(String key, Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(name = "book", mode = LockMode.SHARED, unavailableHandler = "busy")
		public String read() {
			return "read";
		}

		private String withoutBoth(Supplier<String> work) {
			return "fell back";
		}

		private String fallBack() {
			return "fell back";
		}

	}

	@DistributedLock(name = "all", unavailableHandler = "busy")
	public static class Handled {

		public String one() {
			return "ran";
		}

		public Object other() {
			return "ran";
		}

		@Locked("all")
		public String composed() {
			return "ran";
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(unavailableHandler = "busy")
	@interface Locked {

		@AliasFor(annotation = DistributedLock.class, attribute = "name")
		String value();

	}

}
