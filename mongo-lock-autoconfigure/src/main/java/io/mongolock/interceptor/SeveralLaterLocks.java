package io.mongolock.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

/**
 * Begins work under all of its locks or not at all: each lock is asked for while those
 * before it are held, and released before them. Thread-safe.
 */
final class SeveralLaterLocks {

	private final List<LockRequest> requests;

	private final WaitBudget waits;

	private final LockOperations locks;

	private final LockedWork work;

	/** Only one of the begin of the work and a cancel of its claims may be. */
	private final AtomicReference<State> state = new AtomicReference<>(State.CLAIMING);

	/** The innermost claim. */
	private volatile @Nullable Future<?> claim;

	private volatile @Nullable CompletionStage<?> begun;

	private volatile boolean lost;

	/**
	 * Create for one attempt.
	 * @param requests sorted, with distinct keys
	 */
	SeveralLaterLocks(List<LockRequest> requests, WaitBudget waits, LockOperations locks, LockedWork work) {
		this.requests = requests;
		this.waits = waits;
		this.locks = locks;
		this.work = work;
	}

	CompletableFuture<@Nullable Object> execute() {
		CompletableFuture<@Nullable Object> all = claim(List.of());
		all.whenComplete((value, failure) -> endClaim());
		return all;
	}

	private CompletableFuture<@Nullable Object> claim(List<LockHandle> held) {
		return this.locks.executeAsync(this.waits.left(this.requests.get(held.size())), (handle) -> {
			List<LockHandle> all = new ArrayList<>(held);
			all.add(handle);
			return (all.size() < this.requests.size()) ? claimNext(all) : begin(all);
		});
	}

	private CompletionStage<@Nullable Object> claimNext(List<LockHandle> held) {
		CompletableFuture<@Nullable Object> claim = claim(held);
		this.claim = claim;
		if (this.state.get() == State.CANCELLED) {
			claim.cancel(false);
		}
		return new Rest(claim);
	}

	@SuppressWarnings("try") // closing is what the resource is for
	private CompletionStage<@Nullable Object> begin(List<LockHandle> held) throws Throwable {
		if (!this.state.compareAndSet(State.CLAIMING, State.BEGUN)) {
			return CompletableFuture.completedFuture(null);
		}
		// the first may have been lost while the last was waited for
		held.forEach(LockHandle::assertHeld);
		CompletionStage<@Nullable Object> stage;
		try (LockContext.Scope all = LockScopes.enter(held)) {
			stage = this.work.begin(held);
		}
		this.begun = stage;
		if (this.lost) {
			interrupt();
		}
		return stage;
	}

	private void endClaim() {
		Future<?> claim = this.claim;
		if (this.state.compareAndSet(State.CLAIMING, State.CANCELLED) && claim != null) {
			claim.cancel(false);
		}
	}

	private void interrupt() {
		if (this.begun instanceof Future<?> future) {
			future.cancel(true);
		}
	}

	/** The end of all that happens under an outer lock: a loss of it cancels that. */
	private final class Rest extends CompletableFuture<@Nullable Object> {

		private Rest(CompletableFuture<@Nullable Object> claim) {
			claim.whenComplete((value, failure) -> {
				if (failure != null) {
					completeExceptionally(failure);
				}
				else {
					complete(value);
				}
			});
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			SeveralLaterLocks.this.lost = true;
			endClaim();
			interrupt();
			return true;
		}

	}

	private enum State {

		CLAIMING, BEGUN, CANCELLED

	}

}
