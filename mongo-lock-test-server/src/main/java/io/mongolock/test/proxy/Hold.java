package io.mongolock.test.proxy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Holds messages back until it is released. Thread-safe.
 */
public final class Hold {

	private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

	private final CountDownLatch arrived = new CountDownLatch(1);

	private final Gate gate;

	Hold(Gate gate) {
		this.gate = gate;
	}

	/**
	 * Whether a message has arrived, even if it was released since.
	 * @return whether a message has arrived
	 */
	public boolean isHeld() {
		return this.arrived.getCount() == 0;
	}

	/**
	 * Wait up to 10 s for a message to arrive.
	 * @throws IllegalStateException if none arrives
	 */
	public void awaitHeld() {
		awaitHeld(LONG_ENOUGH);
	}

	/**
	 * Wait for a message to arrive.
	 * @param atMost how long to wait
	 * @throws IllegalStateException if none arrives
	 */
	public void awaitHeld(Duration atMost) {
		try {
			if (!this.arrived.await(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new IllegalStateException("No message to hold within " + atMost.toMillis()
						+ "ms; was the request sent, and is the command's name right?");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for a message to hold", ex);
		}
	}

	/**
	 * Let held messages go on, and hold none from now on. Messages are delivered even if
	 * the other side has closed its connection meanwhile.
	 */
	public void release() {
		this.gate.open();
	}

	Gate gate() {
		return this.gate;
	}

	void arrive() {
		this.arrived.countDown();
	}

}
