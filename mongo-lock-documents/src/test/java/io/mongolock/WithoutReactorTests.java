package io.mongolock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.client.ScriptedStore;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locked methods without Reactor, Reactive Streams and Kotlin, which this module has not.
 */
class WithoutReactorTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockStore.class, ScriptedStore::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@Test
	void theyAreNotThere() {
		for (String type : new String[] { "reactor.core.publisher.Mono", "org.reactivestreams.Publisher",
				"kotlin.reflect.full.KCallables" }) {
			assertThat(ClassUtils.isPresent(type, getClass().getClassLoader())).as(type).isFalse();
		}
	}

	@Test
	void stagesAndPlainMethodsRunUnderTheirLock() {
		this.runner.withBean(Working.class).run((context) -> {
			assertThat(context.getBean(Working.class).plain()).isEqualTo("plain");
			assertThat(context.getBean(Working.class).later()).succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo("later");
		});
	}

	@Test
	void aPublisherIsRefusedWithTheWayOut() {
		this.runner.withBean(Refused.class)
			.run((context) -> assertThat(context).getFailure()
				.hasRootCauseInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("returns a Publisher")
				.hasMessageContaining("if Reactor is on the class path"));
	}

	static class Working {

		@DistributedLock("plain")
		String plain() {
			return LockContext.current().key();
		}

		@DistributedLock("later")
		CompletableFuture<String> later() {
			return CompletableFuture.completedFuture(LockContext.current().key());
		}

	}

	static class Refused {

		@DistributedLock("a")
		Flow.Publisher<String> run() {
			return (subscriber) -> {
			};
		}

	}

}
