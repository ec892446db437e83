package io.mongolock.test.proxy;

import java.io.InterruptedIOException;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Lets all messages pass, or none. Thread-safe.
 */
final class Valve {

	private final AtomicReference<@Nullable Gate> shut = new AtomicReference<>();

	void shut() {
		this.shut.compareAndSet(null, new Gate());
	}

	void open() {
		Gate gate = this.shut.getAndSet(null);
		if (gate != null) {
			gate.open();
		}
	}

	void awaitOpen() throws InterruptedIOException {
		Gate gate = this.shut.get();
		while (gate != null) {
			gate.await();
			gate = this.shut.get();
		}
	}

}
