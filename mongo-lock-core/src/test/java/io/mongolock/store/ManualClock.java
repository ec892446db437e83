package io.mongolock.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that stands until a test moves it.
 */
public final class ManualClock implements InstantSource {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-21T12:00:00.123Z"));

	@Override
	public Instant instant() {
		return this.now.get();
	}

	public void advance(Duration duration) {
		this.now.updateAndGet((now) -> now.plus(duration));
	}

}
