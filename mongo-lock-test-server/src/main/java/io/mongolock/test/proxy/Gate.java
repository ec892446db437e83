package io.mongolock.test.proxy;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Opens once. Thread-safe.
 */
final class Gate {

	private final CountDownLatch latch = new CountDownLatch(1);

	void open() {
		this.latch.countDown();
	}

	void await() throws InterruptedIOException {
		try {
			this.latch.await();
		}
		catch (InterruptedException ex) {
			throw interrupted();
		}
	}

	boolean await(Duration atMost) throws InterruptedIOException {
		try {
			return this.latch.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			throw interrupted();
		}
	}

	private static InterruptedIOException interrupted() {
		Thread.currentThread().interrupt();
		return new InterruptedIOException("Interrupted while holding a message");
	}

}
