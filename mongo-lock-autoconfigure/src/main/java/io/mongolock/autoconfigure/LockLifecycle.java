package io.mongolock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

import io.mongolock.client.LockTemplate;

/**
 * Starts the client before anything that may use it, and stops it after: after the web
 * server, listeners and executors, and before singletons, for example the connection to
 * the store, are destroyed.
 */
final class LockLifecycle implements SmartLifecycle {

	/** Near the minimum, with room for what has to outlive even locks. */
	static final int PHASE = Integer.MIN_VALUE + 1000;

	private final @Nullable LockTemplate template;

	private final Duration shutdownTimeout;

	/**
	 * Create a new lifecycle.
	 * @param template the client, {@code null} if a test has put a mock in its place
	 * @param shutdownTimeout how long releasing what is left may take
	 */
	LockLifecycle(@Nullable LockTemplate template, Duration shutdownTimeout) {
		this.template = template;
		this.shutdownTimeout = shutdownTimeout;
	}

	@Override
	public void start() {
		if (this.template != null) {
			this.template.start();
		}
	}

	@Override
	public void stop() {
		if (this.template != null) {
			this.template.stop(this.shutdownTimeout);
		}
	}

	@Override
	public boolean isRunning() {
		return this.template != null && this.template.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
