package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import com.mongodb.client.model.Filters;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.opentest4j.TestAbortedException;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.StepClock;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 39, 52 and 53: thousands of locks, or of waiters, of one application.
 */
@Timeout(300)
@Isolated
class ManyRowsTests {

	private static final int STOPPED = 3_000;

	private static final int LOST = 2_000;

	@AutoClose
	private final Harness harness = Harness.embedded();

	@Test
	@ShowsRow(value = 52, level = Level.PROXY)
	void aShutdownCutsOffThousandsWithFewRequestsAndSendsNothingAfterwards(RowFigures figures) {
		LockSettings settings = LockSettings.builder().ttl(Duration.ofMinutes(5)).autoRenew(false).build();
		HarnessClient client = this.harness.client(this.harness.proxied(), settings, LockClock.system());
		List<LockHandle> held = acquire(client.locks(), STOPPED);
		int before = this.harness.proxy().requests("update");
		long start = System.nanoTime();
		client.locks().stop(Duration.ofMinutes(1));
		long took = System.nanoTime() - start;
		// What was asked beside an answer that came is not waited for
		int[] seen = { before };
		await().atMost(Harness.LONG).pollInterval(Duration.ofMillis(300)).until(() -> {
			int last = seen[0];
			seen[0] = this.harness.proxy().requests("update");
			return seen[0] == last;
		});
		int requests = this.harness.proxy().requests("update") - before;
		// One for 125, as a test of the client shows, and more only where the server
		// takes long
		assertThat(requests).isLessThan(STOPPED / 5);
		assertThat(this.harness.documents().countDocuments(Filters.eq("holders.kept", true))).as("shortened")
			.isEqualTo(STOPPED);
		held.forEach((handle) -> Expect.lost(handle::close)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.SHUTDOWN)));
		assertThat(this.harness.proxy().requests("update")).isEqualTo(before + requests);
		figures.server(this.harness.label()).add("held", STOPPED).add("requests", requests);
		figures.add("stop took", Harness.millis(took)).add("requests after the stop", 0);
	}

	@Test
	@ShowsRow(value = 53, level = Level.PROXY)
	void aSlowListenerIsToldOfThousandsOfLossesWithinTheMargin(RowFigures figures) {
		Duration margin = Duration.ofSeconds(6);
		LockSettings settings = LockSettings.builder()
			.ttl(Duration.ofSeconds(30))
			.margin(margin)
			.renewInterval(Duration.ofSeconds(1))
			.build();
		StepClock clock = new StepClock();
		SlowListener listener = new SlowListener();
		HarnessClient client = this.harness.direct(Harness.LONG);
		LockTemplate locks = HarnessClient.locks(HarnessClient.store(client.mongo()), settings, clock, listener);
		acquire(locks, LOST);
		clock.step(Duration.ofMinutes(1));
		await().atMost(Harness.LONG).until(() -> listener.losses.size() == LOST);
		List<Long> notified = listener.losses.stream().sorted().toList();
		long spread = notified.get(LOST - 1) - notified.get(0);
		assertThat(Duration.ofNanos(spread)).as("from the first to the last").isLessThan(margin);
		locks.stop(Duration.ofSeconds(10));
		figures.server(this.harness.label()).add("losses", LOST).add("listener takes", "5 ms");
		figures.add("from the first to the last", Harness.millis(spread) + " of 6000 ms");
	}

	@Test
	@ShowsRow(value = 39, level = Level.SERVER)
	void renewalsAreOnTimeWhileTenThousandVirtualThreadsWait(RowFigures figures) throws Exception {
		if (Runtime.version().feature() < 21) {
			throw new TestAbortedException("needs Java 21 or later");
		}
		ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor")
			.invoke(null);
		try (Harness any = Harness.onAnyServer()) {
			HarnessClient client = any.behindProxy(Duration.ofSeconds(6), Duration.ofSeconds(200));
			AtomicInteger granted = new AtomicInteger();
			AtomicInteger waiting = new AtomicInteger();
			try (LockHandle handle = client.acquire()) {
				for (int i = 0; i < 10_000; i++) {
					threads.execute(() -> {
						waiting.incrementAndGet();
						client.locks().execute(LockRequest.of(Harness.KEY), (one) -> granted.incrementAndGet());
					});
				}
				await().atMost(Harness.LONG).until(() -> waiting.get() == 10_000);
				any.awaitMoreReplies("update", 4);
				assertThat(handle.isHeld()).isTrue();
			}
			threads.shutdown();
			assertThat(threads.awaitTermination(200, TimeUnit.SECONDS)).isTrue();
			assertThat(client.heard().losses()).isEmpty();
			figures.server(any.label()).add("waiters", 10_000).add("granted", granted).add("lost", 0);
		}
	}

	private static List<LockHandle> acquire(LockTemplate locks, int count) {
		return IntStream.range(0, count).mapToObj((i) -> locks.acquire(LockRequest.of("held:" + i))).toList();
	}

	/**
	 * Takes 5 ms for everything.
	 */
	private static final class SlowListener implements LockListener {

		private final Queue<Long> losses = new ConcurrentLinkedQueue<>();

		@Override
		public void onAcquired(LockHandle handle) {
			LockSupport.parkNanos(5_000_000);
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			LockSupport.parkNanos(5_000_000);
			this.losses.add(System.nanoTime());
		}

	}

}
