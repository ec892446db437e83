package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockCallback;
import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.store.LockStore;

/**
 * PLACEHOLDER until the client is merged: takes locks without waiting or renewing.
 */
public class LockTemplate implements LockOperations {

	private final UnlockedLockOperations unlocked;

	private volatile boolean running;

	public LockTemplate(LockStore store, LockDefaults defaults, LockOwner owner, LockClock clock,
			List<LockListener> listeners) {
		this.unlocked = new UnlockedLockOperations(defaults, clock);
	}

	public void start() {
		this.running = true;
	}

	public void stop(Duration budget) {
		this.running = false;
	}

	public boolean isRunning() {
		return this.running;
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E {
		return this.unlocked.execute(request, callback);
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		return this.unlocked.acquire(request);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return this.unlocked.tryAcquire(request);
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return this.unlocked.acquireAsync(request);
	}

}
