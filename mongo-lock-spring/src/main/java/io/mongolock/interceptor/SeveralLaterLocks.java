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
import io.mongolock.LockUnavailableException;

/**
 * Begins work under all of its locks or not at all: each lock is asked for while those
 * before it are held, and released before them. Thread-safe.
 */
final class SeveralLaterLocks {

	private final List<LockRequest> requests;

	private final WaitBudget waits;

	private final LockOperations locks;

	private final LaterLocking.Work work;

	/** What the caller works under: to be shared, also where another thread asks. */
	private final List<LockHandle> around = LockScopes.current();

	/** Only one of the begin of the work and a cancel of its claims may be. */
	private final AtomicReference<State> state = new AtomicReference<>(State.CLAIMING);

	/** The innermost claim so far, of the lock at that depth; guarded by the monitor. */
	private @Nullable Future<?> claim;

	private int depth;

	private volatile @Nullable CompletionStage<?> begun;

	private volatile boolean lost;

	/** The thread that begins the work just now, guarded by the monitor. */
	private @Nullable Thread beginning;

	private boolean interrupted;

	/**
	 * Create for one attempt.
	 * @param requests sorted, with distinct keys
	 */
	SeveralLaterLocks(List<LockRequest> requests, WaitBudget waits, LockOperations locks, LaterLocking.Work work) {
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

	@SuppressWarnings("try") // closing is what the resource is for
	private CompletionStage<@Nullable Object> claimNext(List<LockHandle> held) {
		CompletableFuture<@Nullable Object> claim;
		try (LockContext.Scope shared = LockScopes.enter(this.around)) {
			claim = claim(held);
		}
		claimed(held.size(), claim);
		if (this.state.get() == State.CANCELLED) {
			claim.cancel(false);
		}
		return new Rest(held, claim);
	}

	@SuppressWarnings("try") // closing is what the resource is for
	private CompletionStage<@Nullable Object> begin(List<LockHandle> held) throws Throwable {
		if (!this.state.compareAndSet(State.CLAIMING, State.BEGUN)) {
			return CompletableFuture.completedFuture(null);
		}
		CompletionStage<@Nullable Object> stage;
		begins();
		try (LockContext.Scope all = LockScopes.enter(held)) {
			// the first may have been lost while the last was waited for
			held.forEach(LockHandle::assertHeld);
			stage = this.work.begin(held);
		}
		finally {
			hasBegun();
		}
		this.begun = stage;
		if (this.lost) {
			interrupt();
		}
		return stage;
	}

	// One that is granted at once is known after the claims within it
	private synchronized void claimed(int depth, Future<?> claim) {
		if (depth > this.depth) {
			this.depth = depth;
			this.claim = claim;
		}
	}

	private synchronized @Nullable Future<?> innermost() {
		return this.claim;
	}

	private void endClaim() {
		if (this.state.compareAndSet(State.CLAIMING, State.CANCELLED)) {
			Future<?> claim = innermost();
			if (claim != null) {
				claim.cancel(false);
			}
		}
	}

	private synchronized void begins() {
		this.beginning = Thread.currentThread();
	}

	private synchronized void hasBegun() {
		this.beginning = null;
		if (this.interrupted) {
			// Ours; what follows is the exception that says so
			Thread.interrupted();
		}
	}

	private synchronized void interruptBegin() {
		if (this.beginning != null) {
			this.interrupted = true;
			this.beginning.interrupt();
		}
	}

	private Throwable failureOf(List<LockHandle> held, Throwable failure) {
		try {
			if (failure instanceof LockUnavailableException unavailable && this.state.get() != State.BEGUN) {
				SeveralLocks.refuseIfLost(held, unavailable);
			}
			return failure;
		}
		catch (RuntimeException | Error ex) {
			// Nobody else ends what waits for this
			return ex;
		}
	}

	private void interrupt() {
		interruptBegin();
		if (this.begun instanceof Future<?> future) {
			future.cancel(true);
		}
	}

	/** The end of all that happens under an outer lock: a loss of it cancels that. */
	private final class Rest extends CompletableFuture<@Nullable Object> {

		private Rest(List<LockHandle> held, CompletableFuture<@Nullable Object> claim) {
			claim.whenComplete((value, failure) -> {
				if (failure != null) {
					completeExceptionally(failureOf(held, failure));
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
