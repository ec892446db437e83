package io.mongolock.test.server;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits for an effect of another process, by polling, because nothing signals it.
 */
final class Waiting {

	private static final long INTERVAL_MS = 20;

	private Waiting() {
	}

	static void until(String what, Duration atMost, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > atMost.toNanos()) {
				throw new IllegalStateException("No " + what + " within " + atMost.toMillis() + " ms");
			}
			try {
				Thread.sleep(INTERVAL_MS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while waiting for " + what, ex);
			}
		}
	}

}
