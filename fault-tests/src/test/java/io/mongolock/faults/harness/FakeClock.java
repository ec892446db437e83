package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.mongolock.LockClock;

/**
 * A pair of clocks that stand still unless set. Thread-safe.
 */
public final class FakeClock implements LockClock {

	private final AtomicLong nanos = new AtomicLong(1);

	private final AtomicLong millis = new AtomicLong(1_000_000_000_000L);

	public void pass(Duration monotonic, Duration wall) {
		this.nanos.addAndGet(monotonic.toNanos());
		this.millis.addAndGet(wall.toMillis());
	}

	@Override
	public long nanoTime() {
		return this.nanos.get();
	}

	@Override
	public long currentTimeMillis() {
		return this.millis.get();
	}

}
