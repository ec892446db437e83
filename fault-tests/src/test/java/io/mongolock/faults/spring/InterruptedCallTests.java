package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A caller of an annotated method is interrupted.
 */
@Timeout(120)
@StartsApplication
class InterruptedCallTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final String id = UUID.randomUUID().toString();

	private final AtomicBoolean flag = new AtomicBoolean();

	private final AtomicBoolean entered = new AtomicBoolean();

	@Test
	@ShowsRow(value = 37, level = Level.SPRING)
	void whileWaitingTheCallEndsWithTheFlagSetAndNothingIsLeft() throws InterruptedException {
		run((guarded, proxy, other) -> {
			other.occupy(Guarded.key(this.id));
			String holder = other.holder(Guarded.key(this.id)).orElseThrow().leaseToken();
			CompletableFuture<Throwable> thrown = new CompletableFuture<>();
			Thread caller = caller(thrown, () -> guarded.runAfterWaiting(this.id, () -> this.entered.set(true)));
			proxy.awaitRequests("findAndModify", 2, LONG);
			caller.interrupt();
			assertThat(thrown.join()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("nterrupted");
			assertThat(this.entered).isFalse();
			assertThat(this.flag).isTrue();
			assertThat(other.holder(Guarded.key(this.id)).orElseThrow().leaseToken()).isEqualTo(holder);
		});
	}

	@Test
	@ShowsRow(value = 37, level = Level.SPRING)
	void whileWorkingTheLockIsGivenBackAndTheFlagKept() throws InterruptedException {
		run((guarded, proxy, other) -> {
			CompletableFuture<Throwable> thrown = new CompletableFuture<>();
			caller(thrown, () -> guarded.run(this.id, () -> Thread.currentThread().interrupt()));
			assertThat(thrown.join()).isNull();
			assertThat(this.flag).isTrue();
			assertThat(other.holder(Guarded.key(this.id))).isEmpty();
		});
	}

	private Thread caller(CompletableFuture<Throwable> thrown, Runnable call) {
		Thread caller = new Thread(() -> {
			Throwable ex = catchThrowable(call::run);
			this.flag.set(Thread.currentThread().isInterrupted());
			thrown.complete(ex);
		}, "caller");
		caller.start();
		return caller;
	}

	private static void run(Scenario scenario) throws InterruptedException {
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				FaultProxy proxy = FaultProxy.to("127.0.0.1", mongo.port());
				OtherClient other = new OtherClient(mongo.connectionString());
				ConfigurableApplicationContext context = SpringApp.start(proxy.connectionString(), Guarded.class)) {
			scenario.run(context.getBean(Guarded.class), proxy, other);
		}
	}

	@FunctionalInterface
	private interface Scenario {

		void run(Guarded guarded, FaultProxy proxy, OtherClient other) throws InterruptedException;

	}

}
