package io.mongolock.client;

import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockCallback;
import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockExplanation;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.concurrent.AsyncExecution;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.LossInterruption;
import io.mongolock.concurrent.ThreadLock;
import io.mongolock.concurrent.ThreadReadWriteLock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HoldState;
import io.mongolock.core.IdleLeases.IdleLease;
import io.mongolock.core.LocalLease;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.RequestOrder;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

/**
 * {@link LockOperations} on a {@link LockStore}: of one lock, or of several that share
 * the time they wait. Starts with the first request or {@link #start()}; takes no
 * requests between {@link #stop} and the next {@link #start()}. Thread-safe.
 */
public final class LockTemplate implements LockOperations {

	private final ConfiguredSettings configured;

	private final LockClock clock;

	private final LockClient client;

	private final LockHandles handles;

	private final Executor threads;

	private final CallerContext callerContext;

	/**
	 * Create a client of a store.
	 */
	public LockTemplate(LockStore store, ClientOptions options) {
		this(store, options, new ClientRuntime());
	}

	LockTemplate(LockStore store, ClientOptions options, ClientRuntime runtime) {
		this.configured = options.configured();
		this.clock = options.clock();
		this.client = new LockClient(store, options, runtime);
		this.handles = this.client.handles();
		this.threads = (task) -> this.client.threads().complete(task);
		this.callerContext = options.callerContext();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback)
			throws E {
		try (LeaseHandle handle = this.client.acquire(request)) {
			return run(handle, callback);
		}
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(List<LockRequest> requests,
			LockCallback<T, E> callback) throws E {
		List<LockRequest> sorted = RequestOrder.of(requests, this.configured, "one call");
		return execute(sorted, restOfWait(sorted), new ArrayList<>(), callback);
	}

	private <T extends @Nullable Object, E extends Throwable> T execute(List<LockRequest> requests,
			UnaryOperator<LockRequest> waits, List<LockHandle> held, LockCallback<T, E> callback) throws E {
		int next = held.size();
		if (next == requests.size()) {
			// The first may have been lost while the last was waited for
			held.forEach(LockHandle::assertHeld);
			return callback.doWithLock(held.get(next - 1));
		}
		try {
			return execute(waits.apply(requests.get(next)), (handle) -> {
				held.add(handle);
				return execute(requests, waits, held, callback);
			});
		}
		catch (LockUnavailableException | LockStoreException ex) {
			// If all are held, it is what the callback has thrown
			throw (held.size() < requests.size()) ? LockExceptions.orLoss(held.subList(0, next), ex) : ex;
		}
		finally {
			// Each in its turn, before it is released
			if (next > 0 && held.size() != requests.size()) {
				unused(held.get(next - 1));
			}
		}
	}

	// The wait of each of several counts from the beginning of the call, not from its
	// turn; with nothing left it asks once
	private UnaryOperator<LockRequest> restOfWait(List<LockRequest> requests) {
		if (requests.size() == 1) {
			return UnaryOperator.identity();
		}
		long begun = this.clock.nanoTime();
		return (request) -> {
			Duration left = this.configured.terms(request).waitTimeout().minusNanos(this.clock.nanoTime() - begun);
			return request
				.with(LockSettings.builder().waitTimeout(Duration.ofMillis(Math.max(0, left.toMillis()))).build());
		};
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		StackFrame caller = this.handles.caller();
		return this.handles.watch(this.client.acquire(request), caller);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		StackFrame caller = this.handles.caller();
		return Optional.ofNullable(this.client.tryAcquire(request))
			.map((acquired) -> this.handles.watch(acquired, caller));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		StackFrame caller = this.handles.caller();
		return this.client.acquireAsync(request, (handle) -> this.handles.watch(handle, caller));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		return executeAsync(List.of(request), callback);
	}

	@Override
	@SuppressWarnings("try") // closing is what the resource is for
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(List<LockRequest> requests,
			LockCallback<? extends CompletionStage<T>, ?> callback) {
		List<LockRequest> sorted = RequestOrder.of(requests, this.configured, "one call");
		UnaryOperator<LockRequest> waits = restOfWait(sorted);
		StackFrame caller = this.handles.caller();
		List<LockHandle> shared = new ArrayList<>();
		try {
			// All of them now: who asks for the later ones does not know what this
			// thread holds
			List<LockRequest> claims = sorted.stream().filter((request) -> !share(request, shared, caller)).toList();
			if (!claims.isEmpty()) {
				return execution(callback, this.callerContext).run(shared, claims.iterator(), (request) -> this.client
					.claimAsync(waits.apply(request), (handle) -> this.handles.watch(handle, caller)));
			}
			// Begins on this thread, which carries all that it does
			try (LockInstrumentation.Scope begun = this.callerContext.begin()) {
				return execution(callback, CallerContext.NONE).run(shared);
			}
		}
		catch (RuntimeException | Error ex) {
			shared.forEach((handle) -> AsyncExecution.close(handle, ex));
			throw ex;
		}
	}

	private boolean share(LockRequest request, List<LockHandle> shared, @Nullable StackFrame caller) {
		LeaseHandle own = this.handles.shareOwn(request);
		return own != null && shared.add(this.handles.watch(own, caller));
	}

	private <T extends @Nullable Object> AsyncExecution<T> execution(
			LockCallback<? extends CompletionStage<T>, ?> callback, CallerContext callerContext) {
		return new AsyncExecution<>(callback, this::working, LockTemplate::interrupting, LockTemplate::unused,
				this.threads, callerContext);
	}

	@Override
	public Lock asLock(LockRequest request) {
		return new ThreadLock(this, this.configured, request);
	}

	@Override
	public ReadWriteLock asReadWriteLock(LockRequest request) {
		return new ThreadReadWriteLock(this, this.configured, request);
	}

	@Override
	public LockExplanation explain(String key) {
		return this.client.explain(key);
	}

	@Override
	public int requestRelease(String key, String reason) {
		return this.client.requestRelease(key, reason, null);
	}

	@Override
	public int requestRelease(String key, String reason, String by) {
		return this.client.requestRelease(key, reason, by);
	}

	/**
	 * Renew what this client holds of a key now instead of when it is due, so that a loss
	 * is noticed and published at once.
	 * @throws io.mongolock.LockStoreException if the store could not be asked; what is
	 * held is then held for as long as before
	 */
	public void renew(String key) {
		this.client.holds().renew(key);
	}

	/**
	 * A lock was broken on purpose: publish that, and let the next of this client ask for
	 * it.
	 */
	public void broken(String key, LockHolder holder) {
		this.client.events().broken(key, holder);
		takenByForce(key, holder);
	}

	/**
	 * A lock was taken by force in the store: who holds it here has lost it at once, and
	 * nobody takes its lease here any more if that is idle.
	 */
	public void takenByForce(String key, LockHolder holder) {
		this.client.holds().broken(key, holder.fence());
	}

	/**
	 * Take requests. Has no effect while running. What was held when claims were
	 * {@link #stopClaims stopped} goes on.
	 */
	public void start() {
		this.client.start();
	}

	/**
	 * Take no more requests for locks, end all waiting, and release what nobody uses:
	 * idle leases and places in the queue. A lock in use is renewed as before, until its
	 * holder is done or {@link #stop} cuts it off. Nothing is granted after this, unless
	 * a request to the store takes longer than the budget.
	 * @param budget how long this may take
	 */
	public void stopClaims(Duration budget) {
		this.client.stopClaims(budget);
	}

	/**
	 * Wait until nobody relies on a lock any more, but for those that the current thread
	 * holds: they end only after this.
	 * @param atMost how long to wait
	 */
	public void awaitUnused(Duration atMost) {
		this.client.awaitUnused(atMost);
	}

	/**
	 * Take no more requests, end all waiting, renew nothing more, and cut off what is
	 * still held, many locks with one request: its holders are notified that they lost
	 * it, and it stays taken for its margin, 6 s at most, as their work may go on. No
	 * request to the store begins after this, and those underway have ended unless they
	 * take longer than the budget.
	 * @param budget how long this may take; a lock that could not be cut off at that time
	 * runs out by itself
	 */
	public void stop(Duration budget) {
		this.client.stop(budget);
	}

	/**
	 * Whether requests are taken.
	 * @return whether the client was started, and not stopped since
	 */
	public boolean isRunning() {
		return this.client.isRunning();
	}

	/**
	 * How many actions wait for their time.
	 */
	int timers() {
		return this.client.threads().timers();
	}

	/**
	 * How many locks are held.
	 */
	public int held() {
		return this.client.holds().size();
	}

	/**
	 * The leases that this client keeps though nobody holds the locks.
	 */
	public List<IdleLease> idle() {
		return this.client.queues().idle().all();
	}

	/**
	 * What this client has of a lease that stands in the store.
	 * @return the lease, or {@code null} if it is another's, or about to be released
	 */
	public @Nullable LocalLease find(LeaseId id) {
		return this.client.queues().idle().find(id, this.client.holds().now());
	}

	/**
	 * How many attempts wait in this JVM.
	 */
	public int waiting() {
		return this.client.queues().waiting();
	}

	/**
	 * How many attempts at a lock wait in this JVM.
	 */
	public int waiting(String key) {
		return this.client.queues().waiting(key);
	}

	@SuppressWarnings("try") // closing is what the resources are for
	private <T extends @Nullable Object, E extends Throwable> T run(LeaseHandle handle, LockCallback<T, E> callback)
			throws E {
		HoldState hold = interrupting(handle);
		handle.work();
		try (LossInterruption interruption = (hold != null) ? LossInterruption.begin(hold, this.threads) : null;
				LockContext.Scope scope = LockContext.enter(handle);
				LockInstrumentation.Scope work = working(handle)) {
			// The thread may have stood still since the grant
			handle.assertHeld();
			return callback.doWithLock(handle);
		}
	}

	private LockInstrumentation.Scope working(LockHandle handle) {
		return (handle instanceof LeaseHandle lease) ? this.client.events().working(lease.heldLock())
				: LockInstrumentation.Scope.NONE;
	}

	private static @Nullable HoldState interrupting(LockHandle handle) {
		return (handle instanceof LeaseHandle lease && lease.heldLock().request().onLost() == OnLost.INTERRUPT)
				? lease.heldLock().state() : null;
	}

	// What others shared, they may have worked under
	static void unused(LockHandle handle) {
		if (handle instanceof LeaseHandle lease && !lease.heldLock().state().wasShared()) {
			lease.heldLock().state().waiveMinHold();
		}
	}

}
