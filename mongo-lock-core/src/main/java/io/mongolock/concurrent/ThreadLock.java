package io.mongolock.concurrent;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockContext;
import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.KeyText;

/**
 * A {@link Lock} on {@link LockOperations}. The thread that holds the lock may take it
 * again. Thread-safe: the hold of a thread is kept with this thread, and no other thread
 * touches it.
 */
public final class ThreadLock implements Lock {

	/** The longest wait that settings allow: 27 years. */
	private static final Duration WITHOUT_END = Duration.ofDays(10_000);

	private final LockOperations operations;

	private final LockRequest request;

	private final Supplier<@Nullable LockHandle> around;

	private final ThreadLocal<@Nullable Hold> hold = new ThreadLocal<>();

	/**
	 * Create a lock.
	 * @param request the request for the lock; its wait timeout does not count
	 * @throws io.mongolock.InvalidLockSettingsException if its settings contradict each
	 * other
	 */
	public ThreadLock(LockOperations operations, ConfiguredSettings configured, LockRequest request) {
		this(operations, request);
		configured.check(request);
	}

	/**
	 * Create a lock whose settings the first claim checks.
	 * @param request the request for the lock; its wait timeout does not count
	 */
	public ThreadLock(LockOperations operations, LockRequest request) {
		this(operations, request, () -> null);
	}

	/**
	 * Create one side of a read/write lock.
	 * @param around returns the handle that the current thread has of the other side
	 */
	ThreadLock(LockOperations operations, LockRequest request, Supplier<@Nullable LockHandle> around) {
		this.operations = operations;
		this.request = request;
		this.around = around;
	}

	@Override
	public void lock() {
		lock(LockSettings.NONE);
	}

	/**
	 * As {@link #lock()}.
	 * @param more the settings that replace settings of the request, unless the thread
	 * already holds the lock
	 */
	public void lock(LockSettings more) {
		if (!takeIfFree(more)) {
			// An interrupt of this thread does not reach that claim, so the claim keeps
			// its place
			CompletableFuture<LockHandle> claim = within(() -> this.operations.acquireAsync(asked(WITHOUT_END, more)));
			this.hold.set(new Hold(join(claim)));
		}
	}

	private boolean takeIfFree(LockSettings more) {
		try {
			return takeUninterruptibly(Duration.ZERO, more);
		}
		catch (LockStoreException ex) {
			if (ex.getOutcome() == Outcome.REFUSED) {
				throw ex;
			}
			// The claim that waits tries again
			return false;
		}
	}

	private static LockHandle join(CompletableFuture<LockHandle> claim) {
		try {
			return claim.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException failure) ? failure : ex;
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		take(WITHOUT_END, LockSettings.NONE, (asked) -> Optional.of(this.operations.acquire(asked)));
	}

	@Override
	public boolean tryLock() {
		return takeUninterruptibly(Duration.ZERO, LockSettings.NONE);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLock(Duration.ofNanos(unit.toNanos(time)), LockSettings.NONE);
	}

	/**
	 * As {@link #tryLock(long, TimeUnit)}.
	 * @param more the settings that replace settings of the request, unless the thread
	 * already holds the lock
	 */
	public boolean tryLock(Duration wait, LockSettings more) throws InterruptedException {
		return take(wait.isNegative() ? Duration.ZERO : wholeMillis(wait), more);
	}

	@Override
	public void unlock() {
		Hold held = this.hold.get();
		if (held == null) {
			throw new IllegalMonitorStateException("The " + this + " cannot be unlocked here. Unlock a lock on the "
					+ "thread that locked it, through the same object, and not more often than this thread locked it");
		}
		held.count--;
		if (held.count == 0) {
			this.hold.remove();
			held.handle.close();
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("The " + this + " has no Condition, because a signal would not reach "
				+ "waiters in other JVMs. Wait for a change of the data instead");
	}

	@Override
	public String toString() {
		Hold held = this.hold.get();
		String thread = "by thread " + Thread.currentThread().getName();
		String whether = (held != null)
				? "held " + ((held.count > 1) ? held.count + " times " : "") + thread + ", fence " + held.handle.fence()
				: "not held " + thread;
		return "lock '" + KeyText.printable(this.request.key()) + "' (" + describe(this.request.settings().limit())
				+ whether + ")";
	}

	/**
	 * The handle of the current thread.
	 * @return the handle, or {@code null} if the thread does not hold the lock
	 */
	public @Nullable LockHandle held() {
		Hold held = this.hold.get();
		return (held != null) ? held.handle : null;
	}

	private boolean takeUninterruptibly(Duration wait, LockSettings more) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return take(wait, more);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean take(Duration wait, LockSettings more) throws InterruptedException {
		return take(wait, more, this.operations::tryAcquire);
	}

	private boolean take(Duration wait, LockSettings more, Function<LockRequest, Optional<LockHandle>> claim)
			throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		Hold held = this.hold.get();
		if (held != null) {
			held.handle.assertHeld();
			held.count = Math.addExact(held.count, 1);
			return true;
		}
		Optional<LockHandle> handle = ask(() -> claim.apply(asked(wait, more)));
		handle.ifPresent((granted) -> this.hold.set(new Hold(granted)));
		return handle.isPresent();
	}

	private LockRequest asked(Duration wait, LockSettings more) {
		return this.request.with(LockSettings.builder().waitTimeout(wait).build().or(more));
	}

	@SuppressWarnings("try") // the resource is there only to be closed
	private <T> T within(Supplier<T> claim) {
		LockHandle outer = this.around.get();
		try (LockContext.Scope scope = (outer != null) ? LockContext.enter(outer) : null) {
			return claim.get();
		}
	}

	private Optional<LockHandle> ask(Supplier<Optional<LockHandle>> claim) throws InterruptedException {
		try {
			return within(claim);
		}
		catch (LockException ex) {
			if (Thread.interrupted()) {
				InterruptedException interrupted = new InterruptedException(ex.getMessage());
				interrupted.initCause(ex);
				throw interrupted;
			}
			throw ex;
		}
	}

	private static Duration wholeMillis(Duration wait) {
		// Compare first, because the milliseconds of a duration may not fit into a long
		return (wait.compareTo(WITHOUT_END) < 0) ? Duration.ofMillis(wait.plusNanos(999_999).toMillis()) : WITHOUT_END;
	}

	private static String describe(@Nullable Integer limit) {
		return (limit == null || limit == 1) ? ""
				: ((limit == LockRequest.UNLIMITED) ? "shared" : "limit " + limit) + ", ";
	}

	/** The hold of one thread, and how often this thread has taken the lock. */
	private static final class Hold {

		private final LockHandle handle;

		private int count = 1;

		private Hold(LockHandle handle) {
			this.handle = handle;
		}

	}

}
