package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockLostException;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * A context is closed in the midst of things: every lock is free right after, and nothing
 * is left running.
 */
@Timeout(120)
@ReadsOutput
class ShutdownTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static EmbeddedMongo mongo;

	private static OtherClient other;

	private final String id = UUID.randomUUID().toString();

	private final String key = Guarded.key(this.id);

	private final CountDownLatch entered = new CountDownLatch(1);

	private final CountDownLatch mayLeave = new CountDownLatch(1);

	private FaultProxy proxy;

	private ConfigurableApplicationContext context;

	private Guarded guarded;

	@BeforeAll
	static void startServer() {
		mongo = EmbeddedMongo.start();
		other = new OtherClient(mongo.connectionString());
	}

	@AfterAll
	static void stopServer() {
		other.close();
		mongo.close();
	}

	@BeforeEach
	void start() {
		this.proxy = FaultProxy.to("127.0.0.1", mongo.port());
		this.context = SpringApp.start(this.proxy.connectionString(), Guarded.class);
		this.guarded = this.context.getBean(Guarded.class);
	}

	@AfterEach
	void stop() {
		this.mayLeave.countDown();
		this.context.close();
		this.proxy.close();
	}

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void closedWhileHeldTheLockIsFreeAndItsHolderTold(CapturedOutput output, RowFigures figures) {
		CompletableFuture<Throwable> holder = hold();
		close(figures);
		assertFree();
		this.mayLeave.countDown();
		assertThat(holder.join()).isInstanceOfSatisfying(LockLostException.class,
				(ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.SHUTDOWN));
		assertQuiet(output);
	}

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void closedWhileWaitingTheWaitEnds(CapturedOutput output, RowFigures figures) {
		other.occupy(this.key);
		CompletableFuture<Throwable> waiter = call(() -> this.guarded.runAfterWaiting(this.id, this::work));
		this.proxy.awaitRequests("findAndModify", 2, LONG);
		close(figures);
		assertThat(waiter.join()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("shutting down");
		assertThat(this.entered.getCount()).isOne();
		assertQuiet(output);
	}

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void closedWhileRenewingTheLockIsFreeAndStaysSo(CapturedOutput output, RowFigures figures) {
		CompletableFuture<Throwable> holder = hold();
		Hold renewal = this.proxy.on("update")
			.when((command) -> command.toString().contains("currentDate"))
			.holdRequest();
		renewal.awaitHeld(LONG);
		close(figures);
		assertFree();
		renewal.release();
		this.mayLeave.countDown();
		assertThat(holder.join()).isInstanceOf(LockLostException.class);
		assertFree();
		assertQuiet(output);
	}

	private CompletableFuture<Throwable> hold() {
		CompletableFuture<Throwable> holder = call(() -> this.guarded.run(this.id, this::work));
		await().atMost(LONG).until(() -> this.entered.getCount() == 0);
		return holder;
	}

	private void work() {
		this.entered.countDown();
		try {
			assertThat(this.mayLeave.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static CompletableFuture<Throwable> call(Runnable call) {
		CompletableFuture<Throwable> thrown = new CompletableFuture<>();
		new Thread(() -> thrown.complete(catchThrowable(call::run)), "caller").start();
		return thrown;
	}

	private void close(RowFigures figures) {
		long begun = System.nanoTime();
		this.context.close();
		figures.server(RowFigures.EMBEDDED)
			.add("closed after", Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
	}

	private void assertFree() {
		assertThat(other.holder(this.key)).isEmpty();
	}

	private static void assertQuiet(CapturedOutput output) {
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
		SpringApp.awaitNoThreads();
	}

}
