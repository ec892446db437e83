package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockCallback;
import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockExplanation;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.concurrent.AsyncExecution;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.ThreadLock;
import io.mongolock.concurrent.ThreadReadWriteLock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.RequestOrder;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.KeyText;

/**
 * Grants everything and locks nothing, for an application whose locks are switched off.
 * Requests are still checked, and fences rise as they would with locks.
 */
public class UnlockedLockOperations implements LockOperations {

	private final ConfiguredSettings configured;

	private final LockClock clock;

	private final CallerContext callerContext;

	private final AtomicLong lastFence = new AtomicLong();

	/** The threads end by themselves. */
	private final Executor results = new ClientRuntime().direct(Integer.MAX_VALUE, 10, "mongo-lock-result");

	/**
	 * Create new operations.
	 * @param callerContext carries the context of the calling thread to work on another
	 * thread
	 */
	public UnlockedLockOperations(ConfiguredSettings configured, LockClock clock, CallerContext callerContext) {
		this.configured = configured;
		this.clock = clock;
		this.callerContext = callerContext;
	}

	@Override
	@SuppressWarnings("try") // the resources are there only to be closed
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E {
		try (LockHandle handle = acquire(request); LockContext.Scope scope = LockContext.enter(handle)) {
			return callback.doWithLock(handle);
		}
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(List<LockRequest> requests,
			LockCallback<T, E> callback) throws E {
		return executeSorted(sorted(requests), callback);
	}

	private <T extends @Nullable Object, E extends Throwable> T executeSorted(List<LockRequest> sorted,
			LockCallback<T, E> callback) throws E {
		return execute(sorted.get(0), (handle) -> (sorted.size() == 1) ? callback.doWithLock(handle)
				: executeSorted(sorted.subList(1, sorted.size()), callback));
	}

	private List<LockRequest> sorted(List<LockRequest> requests) {
		return RequestOrder.of(requests, this.configured, "one call");
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		this.configured.limit(request);
		long now = this.clock.currentTimeMillis() * 1024;
		long fence = this.lastFence.updateAndGet((last) -> Math.max(last + 1, now));
		return new UnlockedHandle(request.key(), fence, this.configured.terms(request).reliable());
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.of(acquire(request));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return CompletableFuture.completedFuture(acquire(request));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(List<LockRequest> requests,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		return new AsyncExecution<>(callback, (handle) -> Scope.NONE, (handle) -> null, (handle) -> {
		}, this.results, this.callerContext).run(List.of(), sorted(requests).iterator(), this::acquireAsync);
	}

	@Override
	public LockExplanation explain(String key) {
		return LockExceptions.explain(key, List.of(), List.of(), 0);
	}

	@Override
	public int requestRelease(String key, String reason) {
		return 0;
	}

	@Override
	public int requestRelease(String key, String reason, String by) {
		return 0;
	}

	@Override
	public Lock asLock(LockRequest request) {
		return new ThreadLock(this, this.configured, request);
	}

	@Override
	public ReadWriteLock asReadWriteLock(LockRequest request) {
		return new ThreadReadWriteLock(this, this.configured, request);
	}

	private static final class UnlockedHandle implements LockHandle {

		private final String key;

		private final long fence;

		private final Duration reliable;

		private volatile boolean closed;

		private UnlockedHandle(String key, long fence, Duration reliable) {
			this.key = key;
			this.fence = fence;
			this.reliable = reliable;
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public long fence() {
			return this.fence;
		}

		@Override
		public boolean isHeld() {
			return !this.closed;
		}

		@Override
		public void assertHeld() {
			if (this.closed) {
				throw LockExceptions.closed(this.key);
			}
		}

		@Override
		public Duration remaining() {
			return (this.closed) ? Duration.ZERO : this.reliable;
		}

		@Override
		public void renew() {
			assertHeld();
		}

		@Override
		public void close() {
			this.closed = true;
		}

		@Override
		public String toString() {
			return "lock '" + KeyText.printable(this.key) + "' (fence " + this.fence + ", unlocked)";
		}

	}

}
