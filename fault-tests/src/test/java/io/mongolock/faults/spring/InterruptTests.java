package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockHandle;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The thread that calls an annotated method is interrupted.
 */
class InterruptTests {

	private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

	private static TestServer server;

	private static OtherClient other;

	private static ConfigurableApplicationContext context;

	@BeforeAll
	static void start() {
		server = TestServer.embedded();
		other = server.otherClient();
		context = server.run(GuardedApplication.class, "mongo-lock.wait-timeout=60s");
	}

	@AfterAll
	static void stop() {
		context.close();
		other.close();
		server.close();
	}

	@Test
	@ShowsRow(value = 37, level = Level.B)
	void whileItWaits(RowFigures figures) throws Exception {
		AtomicBoolean entered = new AtomicBoolean();
		Call call;
		try (LockHandle held = other.hold(GuardedService.KEY)) {
			call = new Call(() -> entered.getAndSet(true));
			await().atMost(LONG_ENOUGH).until(() -> Waiting.threads() == 1);
			call.thread.interrupt();
			call.thread.join(LONG_ENOUGH.toMillis());
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(call.failure.get()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("Interrupted");
		assertThat(call.interrupted).isTrue();
		assertThat(entered).isFalse();
		figures.server(server.label()).add("orphans", orphans());
	}

	@Test
	@ShowsRow(value = 37, level = Level.B)
	void whileItWorks(RowFigures figures) throws Exception {
		Call call = new Call(() -> {
			Thread.currentThread().interrupt();
			return true;
		});
		call.thread.join(LONG_ENOUGH.toMillis());
		assertThat(call.failure.get()).isNull();
		assertThat(call.interrupted).isTrue();
		figures.server(server.label()).add("orphans", orphans());
	}

	private static int orphans() {
		Document stored = other.stored(GuardedService.KEY);
		assertThat(other.isFree(GuardedService.KEY)).isTrue();
		int orphans = stored.getList("holders", Object.class).size();
		assertThat(orphans).isZero();
		return orphans;
	}

	/**
	 * A call on a thread of its own.
	 */
	private static final class Call {

		private final AtomicReference<Exception> failure = new AtomicReference<>();

		private final AtomicBoolean interrupted = new AtomicBoolean();

		private final Thread thread;

		private Call(Callable<Boolean> work) {
			this.thread = new Thread(() -> {
				try {
					context.getBean(GuardedService.class).run(work);
				}
				catch (Exception ex) {
					this.failure.set(ex);
				}
				this.interrupted.set(Thread.currentThread().isInterrupted());
			});
			this.thread.start();
		}

	}

}
