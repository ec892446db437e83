package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.opentest4j.TestAbortedException;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 39: waiters on virtual threads, where Java has them.
 */
@Timeout(300)
@Isolated
class VirtualThreadRowsTests {

	@Test
	@ShowsRow(value = 39, level = Level.SERVER)
	void renewalsAreOnTimeWhileTenThousandVirtualThreadsWait(RowFigures figures) throws Exception {
		if (Runtime.version().feature() < 21) {
			throw new TestAbortedException("needs Java 21 or later");
		}
		ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor")
			.invoke(null);
		try (Harness rig = Harness.onAnyServer()) {
			HarnessClient client = rig.behindProxy(Duration.ofSeconds(6), Duration.ofSeconds(200));
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
				int before = rig.proxy().replies("update");
				rig.proxy().awaitReplies("update", before + 4, Harness.LONG);
				assertThat(handle.isHeld()).isTrue();
			}
			threads.shutdown();
			assertThat(threads.awaitTermination(200, TimeUnit.SECONDS)).isTrue();
			assertThat(client.told().losses()).isEmpty();
			figures.server(rig.label()).add("waiters", 10_000).add("granted", granted).add("lost", 0);
		}
	}

}
