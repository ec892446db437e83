package io.mongolock.faults.harness;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.mongolock.LockClock;

/**
 * A clock of a server, or the pair of a client, that runs and can be set. Thread-safe.
 */
public final class StepClock implements InstantSource, LockClock {

	private final AtomicReference<Duration> offset = new AtomicReference<>(Duration.ZERO);

	private final Consumer<Duration> steps;

	public StepClock() {
		this((offset) -> {
		});
	}

	// Of another process, which is given how far off it is
	StepClock(Consumer<Duration> steps) {
		this.steps = steps;
	}

	public void step(Duration step) {
		this.steps.accept(this.offset.updateAndGet(step::plus));
	}

	@Override
	public Instant instant() {
		return Instant.now().plus(this.offset.get());
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public long currentTimeMillis() {
		return instant().toEpochMilli();
	}

}
