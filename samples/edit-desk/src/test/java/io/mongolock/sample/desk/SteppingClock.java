package io.mongolock.sample.desk;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock of a server that can be set forward. Thread-safe.
 */
final class SteppingClock implements InstantSource {

	private final AtomicLong ahead = new AtomicLong();

	void step(Duration step) {
		this.ahead.addAndGet(step.toMillis());
	}

	@Override
	public Instant instant() {
		return Instant.now().plusMillis(this.ahead.get());
	}

}
