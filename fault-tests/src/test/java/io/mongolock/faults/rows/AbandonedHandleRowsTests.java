package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.system.CapturedOutput;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockDefaults;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 51: a lock whose holder has forgotten that it holds it.
 */
@Timeout(180)
@ReadsOutput
class AbandonedHandleRowsTests {

	@AutoClose
	private final Harness harness = Harness.embedded();

	@Test
	@ShowsRow(value = 51, level = Level.SERVER)
	void aHandleThatIsDroppedIsToldWithItsPlaceAndReleased(CapturedOutput output, RowFigures figures) {
		LockTemplate careless = new LockTemplate(HarnessClient.store(this.harness.observer()),
				new LockDefaults(HarnessClient.settings(Harness.LONG, Duration.ZERO), Map.of()),
				new LockOwner("careless", "1", "", 1, ""), LockClock.system(), List.of(), LeakDetection.RELEASE,
				HandOver.DEFAULT);
		careless.acquire(LockRequest.of(Harness.KEY));
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockRequest once = LockRequest.builder(Harness.KEY).waitTimeout(Duration.ZERO).build();
		await().atMost(Harness.LONG).until(() -> {
			System.gc();
			return other.locks().tryAcquire(once).map(AbandonedHandleRowsTests::close).orElse(false);
		});
		careless.stop(Duration.ofSeconds(1));
		assertThat(output).containsPattern("A handle of lock '" + Harness.KEY
				+ "' .* acquired at .*AbandonedHandleRowsTests.aHandleThatIsDropped.* was garbage-collected");
		figures.server(this.harness.label()).add("released", 1);
	}

	private static boolean close(LockHandle handle) {
		handle.close();
		return true;
	}

}
