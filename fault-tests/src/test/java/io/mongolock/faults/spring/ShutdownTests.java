package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.system.CapturedOutput;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.StoredLock;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Row 36: a context is closed or stopped in the midst of things. No lock is free while
 * somebody works under it unless that one was notified a margin before, and nothing is
 * left running.
 */
@Timeout(120)
@ReadsOutput
class ShutdownTests {

	private static final String KEY = Guarded.key("a");

	private final CountDownLatch entered = new CountDownLatch(1);

	private final CountDownLatch mayLeave = new CountDownLatch(1);

	@AutoClose
	private final SpringApp app = new SpringApp(Guarded.class, "mongo-lock.renew-interval=500ms",
			"mongo-lock.shutdown-timeout=8s");

	private final OtherClient other = this.app.other();

	private final Guarded guarded = this.app.bean(Guarded.class);

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void closedWhileHeldTheHolderIsToldAndTheLockIsFreeAfterItsMargin(CapturedOutput output, RowFigures figures) {
		CompletableFuture<Throwable> holder = hold();
		long begun = System.nanoTime();
		close(figures);
		StoredLock lock = this.other.find(KEY).orElseThrow();
		assertThat(lock.holders()).singleElement()
			.satisfies((cutOff) -> assertThat(cutOff.toHolder(lock.now()).remaining())
				.isLessThanOrEqualTo(Duration.ofSeconds(1)));
		await().atMost(Harness.LONG).until(() -> !this.other.isTaken(KEY));
		figures.add("free after", Harness.millis(System.nanoTime() - begun));
		this.mayLeave.countDown();
		assertThat(holder.join()).isInstanceOfSatisfying(LockLostException.class,
				(ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.SHUTDOWN));
		assertQuiet(output);
	}

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void closedWhileWaitingTheWaitEnds(CapturedOutput output, RowFigures figures) {
		this.other.occupy(KEY);
		CompletableFuture<Throwable> waiter = call(() -> this.guarded.runAfterWaiting("a", this::work));
		this.app.harness().proxy().awaitRequests("findAndModify", 2, Harness.LONG);
		close(figures);
		assertThat(waiter.join()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("shutting down");
		assertThat(this.entered.getCount()).isOne();
		assertQuiet(output);
	}

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void closedWhileRenewingTheLockIsFreeWithItsWorkAndStaysSo(CapturedOutput output, RowFigures figures) {
		Hold renewal = this.app.harness().renewals().holdRequest();
		CompletableFuture<Throwable> holder = hold();
		renewal.awaitHeld(Harness.LONG);
		this.mayLeave.countDown();
		close(figures);
		assertFree();
		renewal.release();
		assertThat(holder.join()).isNull();
		assertFree();
		assertQuiet(output);
	}

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void closedWhileHeldTheWorkThatEndsInTimeLosesNothing(CapturedOutput output, RowFigures figures) {
		CompletableFuture<Throwable> holder = hold();
		CompletableFuture<Void> closed = Daemon.run(() -> this.app.context().close());
		LockTemplate locks = this.app.bean(LockTemplate.class);
		await().atMost(Harness.LONG).until(() -> !locks.isRunning());
		assertThat(this.other.isTaken(KEY)).isTrue();
		this.mayLeave.countDown();
		closed.join();
		assertThat(holder.join()).isNull();
		assertFree();
		assertQuiet(output);
		figures.server(this.app.harness().label());
	}

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void whenContextIsStoppedThenItsLocksGoOn(CapturedOutput output, RowFigures figures) {
		LockOperations locks = this.app.bean(LockOperations.class);
		LockHandle held = locks.acquire(LockRequest.of(KEY));
		this.app.context().stop();
		assertThat(held.isHeld()).isTrue();
		assertThat(this.other.seesHeld(KEY)).isTrue();
		locks.acquire(LockRequest.of("another")).close();
		this.app.context().start();
		held.close();
		this.guarded.run("a", () -> assertThat(this.other.seesHeld(KEY)).isTrue());
		assertThat(this.other.seesHeld(KEY)).isFalse();
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
		figures.server(this.app.harness().label());
	}

	private CompletableFuture<Throwable> hold() {
		CompletableFuture<Throwable> holder = call(() -> this.guarded.run("a", this::work));
		await().atMost(Harness.LONG).until(() -> this.entered.getCount() == 0);
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
		this.app.context().close();
		figures.server(this.app.harness().label()).add("closed after", Harness.millis(System.nanoTime() - begun));
	}

	private void assertFree() {
		assertThat(this.other.holder(KEY)).isEmpty();
	}

	private static void assertQuiet(CapturedOutput output) {
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
		SpringApp.awaitNoThreads();
	}

}
