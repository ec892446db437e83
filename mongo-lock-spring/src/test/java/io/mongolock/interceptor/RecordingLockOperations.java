package io.mongolock.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockCallback;
import io.mongolock.LockContext;
import io.mongolock.LockExplanation;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;

/**
 * Grants locks from a list of one: nobody, or everybody else.
 */
public class RecordingLockOperations implements LockOperations {

	private final List<String> events;

	private final List<LockRequest> requests = new ArrayList<>();

	private int executions;

	private boolean heldByAnother;

	private final Set<String> keysOfAnother = new HashSet<>();

	private RuntimeException onClose;

	public RecordingLockOperations() {
		this(new ArrayList<>());
	}

	public RecordingLockOperations(List<String> events) {
		this.events = events;
	}

	public List<String> events() {
		return this.events;
	}

	public LockRequest request() {
		return this.requests.get(this.requests.size() - 1);
	}

	public List<LockRequest> requests() {
		return this.requests;
	}

	/**
	 * How often {@link #execute} was called, also for a lock that was held already.
	 */
	public int executions() {
		return this.executions;
	}

	public void heldByAnother() {
		this.heldByAnother = true;
	}

	public void heldByAnother(String key) {
		this.keysOfAnother.add(key);
	}

	public void failOnClose(RuntimeException ex) {
		this.onClose = ex;
	}

	@Override
	public <T, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback) throws E {
		this.executions++;
		Optional<LockHandle> held = LockContext.find((handle) -> handle.key().equals(request.key()));
		if (held.isPresent()) {
			return callback.doWithLock(held.get());
		}
		try (LockHandle handle = acquire(request)) {
			LockContext.Scope scope = LockContext.enter(handle);
			try {
				return callback.doWithLock(handle);
			}
			finally {
				scope.close();
			}
		}
	}

	@Override
	public <T, E extends Throwable> T execute(List<LockRequest> requests, LockCallback<T, E> callback) throws E {
		return execute(requests.get(0), (handle) -> (requests.size() == 1) ? callback.doWithLock(handle)
				: execute(requests.subList(1, requests.size()), callback));
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		return tryAcquire(request)
			.orElseThrow(() -> new LockUnavailableException(request.key(), List.of(), Duration.ZERO, 1, "held"));
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		this.requests.add(request);
		if (Thread.currentThread().isInterrupted()) {
			throw new LockAttemptAbortedException(request.key(), List.of(), Duration.ZERO, 0, "Interrupted");
		}
		if (this.heldByAnother || this.keysOfAnother.contains(request.key())) {
			this.events.add("denied " + request.key());
			return Optional.empty();
		}
		this.events.add("acquire " + request.key());
		return Optional.of(new Handle(request.key()));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LockExplanation explain(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public int requestRelease(String key, String reason) {
		throw new UnsupportedOperationException();
	}

	@Override
	public int requestRelease(String key, String reason, String by) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Lock asLock(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ReadWriteLock asReadWriteLock(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	private final class Handle implements LockHandle {

		private final String key;

		private Handle(String key) {
			this.key = key;
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public long fence() {
			return 7;
		}

		@Override
		public boolean isHeld() {
			return true;
		}

		@Override
		public void assertHeld() {
		}

		@Override
		public Duration remaining() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void renew() {
		}

		@Override
		public void close() {
			RecordingLockOperations.this.events.add("release " + this.key);
			if (RecordingLockOperations.this.onClose != null) {
				throw RecordingLockOperations.this.onClose;
			}
		}

	}

}
