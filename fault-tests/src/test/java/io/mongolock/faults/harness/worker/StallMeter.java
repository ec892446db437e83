package io.mongolock.faults.harness.worker;

import java.time.Duration;

import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryWriter;

/**
 * Writes down when this process did not run, whatever kept it: a signal, the collector of
 * garbage, or other processes.
 */
final class StallMeter {

	private static final Duration STEP = Duration.ofMillis(10);

	/** Less is what any thread may have to wait. */
	private static final Duration STALL = Duration.ofMillis(50);

	private StallMeter() {
	}

	static void start(HistoryWriter history) {
		Thread thread = new Thread(() -> {
			try {
				for (long before = System.nanoTime();; before = System.nanoTime()) {
					Thread.sleep(STEP.toMillis());
					long now = System.nanoTime();
					if (now - before > STALL.toNanos()) {
						history.write(new Stalled(LockWorker.PROCESS, before, now));
					}
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "stall-meter");
		thread.setDaemon(true);
		thread.start();
	}

}
