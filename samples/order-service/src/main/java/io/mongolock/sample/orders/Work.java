package io.mongolock.sample.orders;

import java.time.Duration;

/**
 * Stands for what takes time in a real application, for example asking a bank.
 */
final class Work {

	private Work() {
	}

	static void lasting(Duration duration) {
		try {
			Thread.sleep(duration.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while working", ex);
		}
	}

}
