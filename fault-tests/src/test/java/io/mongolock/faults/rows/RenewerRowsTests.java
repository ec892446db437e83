package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.InterceptedStore;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.StepClock;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 13 and 45: what happens to the threads that renew, watch and tell.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class RenewerRowsTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	/** Long enough for a lock to stay held on a busy machine, too. */
	private static final LockSettings RENEWED_OFTEN = HarnessClient.settings(Duration.ofSeconds(12),
			Duration.ofMillis(250), Duration.ZERO);

	private final RecordingLockListener heard = new RecordingLockListener();

	private final AtomicInteger renewals = new AtomicInteger();

	private final InterceptedStore store = new InterceptedStore(new InMemoryLockStore()).before("renewAll",
			this.renewals::incrementAndGet);

	private LockTemplate locks;

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ofSeconds(1));
	}

	@Test
	@ShowsRow(value = 45, level = Level.UNIT)
	void aListenerThatThrowsErrorsStopsNeitherRenewalNorTheTelling(RowFigures figures) {
		StepClock clock = new StepClock();
		LockHandle handle = start(RENEWED_OFTEN, clock, new Careless(), this.heard);
		awaitRenewals(4);
		assertThat(handle.isHeld()).isTrue();
		clock.step(RENEWED_OFTEN.ttl());
		assertThat(this.heard.awaitLoss().reason()).isEqualTo(LossReason.DEADLINE);
		figures.add("silent losses", 0);
	}

	@Test
	@ShowsRow(value = 45, level = Level.UNIT)
	void aRenewalThatThrowsAnErrorIsTriedAgain(RowFigures figures) {
		AtomicInteger failures = new AtomicInteger();
		this.store.before("renewAll", () -> {
			if (this.renewals.incrementAndGet() <= 2) {
				failures.incrementAndGet();
				fail();
			}
		});
		LockHandle handle = startRenewedOften(this.heard);
		awaitRenewals(8);
		assertThat(handle.isHeld()).isTrue();
		assertThat(failures).hasValue(2);
		assertThat(this.heard.losses()).isEmpty();
		figures.add("errors", failures).add("lost", 0);
	}

	@Test
	@ShowsRow(value = 45, level = Level.UNIT)
	void aRenewalThatThrowsErrorsForEverEndsInALossThatIsTold(RowFigures figures) {
		this.store.before("renewAll", RenewerRowsTests::fail);
		LockHandle handle = start(this.heard);
		assertThat(this.heard.awaitLoss().reason()).isEqualTo(LossReason.DEADLINE);
		assertThat(handle.isHeld()).isFalse();
		figures.add("silent losses", 0);
	}

	@Test
	@ShowsRow(value = 13, level = Level.UNIT)
	void aHolderIsToldThoughARenewalNeverReturns(RowFigures figures) {
		CompletableFuture<Void> end = new CompletableFuture<>();
		this.store.before("renewAll", end::join);
		LockHandle handle = start(this.heard);
		assertThat(this.heard.awaitLoss().reason()).isEqualTo(LossReason.DEADLINE);
		assertThat(handle.isHeld()).isFalse();
		end.complete(null);
		figures.add("silent losses", 0);
	}

	@Test
	@ShowsRow(value = 14, level = Level.UNIT)
	void aRenewalThatTakesLongMakesTheLeaseNoLonger(RowFigures figures) {
		AtomicLong began = new AtomicLong();
		CompletableFuture<Void> answer = new CompletableFuture<>();
		CompletableFuture<Void> end = new CompletableFuture<>();
		this.store.before("renewAll", () -> ((began.compareAndSet(0, System.nanoTime())) ? answer : end).join());
		Duration ttl = Duration.ofSeconds(30);
		LockHandle handle = start(HarnessClient.settings(ttl, Duration.ofSeconds(1), Duration.ZERO), LockClock.system(),
				this.heard);
		Duration reliable = ttl.multipliedBy(4).dividedBy(5);
		await().atMost(Harness.LONG).until(() -> handle.remaining().compareTo(reliable.minusSeconds(4)) < 0);
		Duration before = handle.remaining();
		answer.complete(null);
		await().atMost(Harness.LONG).until(() -> handle.remaining().compareTo(before) > 0);
		Duration since = Duration.ofNanos(System.nanoTime() - began.get());
		Duration relied = handle.remaining();
		assertThat(relied).isLessThanOrEqualTo(reliable.minus(since));
		end.complete(null);
		figures.add("relied on for", relied.toMillis() + " ms after the answer");
	}

	@Test
	@ShowsRow(value = 45, level = Level.UNIT)
	void renewalsPassWhileTheApplicationsThreadsAreBusy(RowFigures figures) {
		// Not a future, for which the pool would start another thread
		CountDownLatch end = new CountDownLatch(1);
		CountDownLatch busy = new CountDownLatch(ForkJoinPool.getCommonPoolParallelism());
		for (long i = busy.getCount(); i > 0; i--) {
			ForkJoinPool.commonPool().execute(() -> {
				busy.countDown();
				awaitEnd(end);
			});
		}
		await().atMost(Harness.LONG).until(() -> busy.getCount() == 0);
		try {
			LockHandle handle = startRenewedOften(this.heard);
			awaitRenewals(5);
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.heard.losses()).isEmpty();
		}
		finally {
			end.countDown();
		}
		figures.add("lost", 0);
	}

	@Test
	@ShowsRow(value = 45, level = Level.UNIT)
	void aWatchThatMeetsAnErrorGoesOn(RowFigures figures) {
		FailingClock clock = new FailingClock();
		LockHandle handle = start(RENEWED_OFTEN, clock, this.heard);
		clock.fails.set(true);
		await().atMost(Harness.LONG).until(() -> !clock.fails.get());
		int before = this.renewals.get();
		awaitRenewals(before + 3);
		assertThat(handle.isHeld()).isTrue();
		figures.add("errors", 1).add("lost", this.heard.losses().size());
	}

	private LockHandle start(LockListener... listeners) {
		return start(HarnessClient.settings(TTL, Duration.ZERO), LockClock.system(), listeners);
	}

	private LockHandle startRenewedOften(LockListener... listeners) {
		return start(RENEWED_OFTEN, LockClock.system(), listeners);
	}

	private LockHandle start(LockSettings settings, LockClock clock, LockListener... listeners) {
		this.locks = HarnessClient.locks(this.store.toStore(), settings, clock, listeners);
		return this.locks.acquire(LockRequest.of(Harness.KEY));
	}

	private void awaitRenewals(int least) {
		await().atMost(Harness.LONG).until(() -> this.renewals.get() >= least);
	}

	private static void awaitEnd(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void fail() {
		throw new LinkageError("by the test");
	}

	private static final class Careless implements LockListener {

		@Override
		public void onAcquired(LockHandle handle) {
			fail();
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			fail();
		}

	}

	/**
	 * Fails once on the thread that watches, on demand.
	 */
	private static final class FailingClock implements LockClock {

		private final AtomicBoolean fails = new AtomicBoolean();

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public long currentTimeMillis() {
			if (Thread.currentThread().getName().equals("mongo-lock-watch") && this.fails.getAndSet(false)) {
				fail();
			}
			return System.currentTimeMillis();
		}

	}

}
