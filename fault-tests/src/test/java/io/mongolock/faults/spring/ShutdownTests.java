package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.LockLifecycle;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The end of a context while its locks are in use.
 */
@ExtendWith(OutputCaptureExtension.class)
class ShutdownTests {

	private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

	private final TestServer server = TestServer.embedded();

	private final OtherClient other = this.server.otherClient();

	private final Set<Thread> before = lockThreads();

	private final ExecutorService callers = Executors.newCachedThreadPool();

	private final CountDownLatch gate = new CountDownLatch(1);

	private ConfigurableApplicationContext context;

	@BeforeEach
	void start() {
		this.context = this.server.run(GuardedApplication.class, "mongo-lock.wait-timeout=60s");
	}

	@AfterEach
	void stop() {
		this.gate.countDown();
		this.callers.shutdownNow();
		this.context.close();
		this.other.close();
		this.server.close();
	}

	@Test
	@ShowsRow(value = 36, level = Level.B)
	void closedWhileHeldAndWaitedFor(RowFigures figures, CapturedOutput output) throws Exception {
		GuardedService service = this.context.getBean(GuardedService.class);
		Future<String> holder = holder(service);
		Future<String> inLine = this.callers.submit(() -> service.run(() -> "inLine"));
		LockHandle theirs = this.other.hold("data:theirs");
		Future<String> atTheStore = this.callers.submit(() -> service.keyOf("theirs"));
		awaitWaiting(2);
		long start = System.nanoTime();
		this.context.close();
		Duration took = Duration.ofNanos(System.nanoTime() - start);
		assertThat(this.other.isFree(GuardedService.KEY)).isTrue();
		this.gate.countDown();
		assertFailsWith(inLine, LockUnavailableException.class, "shutting down");
		assertFailsWith(atTheStore, LockUnavailableException.class, "shutting down");
		assertFailsWith(holder, LockLostException.class, "shut down while it was held");
		theirs.close();
		assertThat(this.other.isFree("data:theirs")).isTrue();
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
		figures.server(this.server.label()).add("close took", took.toMillis() + "ms").add("leaked threads", leaked());
	}

	@Test
	@ShowsRow(value = 36, level = Level.B)
	void closedWhileRenewing(RowFigures figures, CapturedOutput output) throws Exception {
		this.context.close();
		try (FaultProxy proxy = FaultProxy.to("127.0.0.1", this.server.port())) {
			this.context = this.server.runAt(proxy.connectionString(), GuardedApplication.class, "mongo-lock.ttl=6s");
			Hold renewal = proxy.on("update").when((command) -> command.toString().contains("renewedAt")).holdRequest();
			Future<String> holder = holder(this.context.getBean(GuardedService.class));
			renewal.awaitHeld(LONG_ENOUGH);
			this.context.close();
			assertThat(this.other.isFree(GuardedService.KEY)).isTrue();
			renewal.release();
			this.gate.countDown();
			assertFailsWith(holder, LockLostException.class, "shut down while it was held");
			assertThat(this.other.stored(GuardedService.KEY).getList("holders", Object.class)).isEmpty();
			assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
			figures.server(this.server.label()).add("leaked threads", leaked());
		}
	}

	@Test
	@ShowsRow(value = 36, level = Level.B)
	void stoppedAndStartedAgain(RowFigures figures, CapturedOutput output) throws Exception {
		figures.server(this.server.label());
		LockOperations locks = this.context.getBean(LockOperations.class);
		LockHandle held = locks.acquire(LockRequest.of(GuardedService.KEY));
		this.context.stop();
		assertThat(this.context.getBean(LockLifecycle.class).isRunning()).isFalse();
		assertThat(held.isHeld()).isFalse();
		assertThat(this.other.isFree(GuardedService.KEY)).isTrue();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.acquire(LockRequest.of(GuardedService.KEY)))
			.withMessageContaining("shutting down");
		this.context.start();
		assertThat(this.context.getBean(GuardedService.class).run(() -> this.other.isFree(GuardedService.KEY)))
			.isFalse();
		assertThat(this.other.isFree(GuardedService.KEY)).isTrue();
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
	}

	private Future<String> holder(GuardedService service) throws InterruptedException {
		CountDownLatch holds = new CountDownLatch(1);
		Future<String> holder = this.callers.submit(() -> service.run(() -> {
			holds.countDown();
			this.gate.await();
			return "held";
		}));
		assertThat(holds.await(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
		return holder;
	}

	private static void awaitWaiting(int threads) {
		await().atMost(LONG_ENOUGH).until(() -> Waiting.threads() == threads);
	}

	private int leaked() {
		this.other.close();
		await().atMost(LONG_ENOUGH).untilAsserted(() -> assertThat(lockThreads()).isSubsetOf(this.before));
		return 0;
	}

	private static Set<Thread> lockThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("mongo-lock-(watch|renewal|events|request|timer).*"))
			.collect(Collectors.toSet());
	}

	private static void assertFailsWith(Future<?> call, Class<? extends Throwable> type, String message) {
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> call.get(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS))
			.withCauseInstanceOf(type)
			.withMessageContaining(message);
	}

}
