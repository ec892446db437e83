package io.mongolock;

import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The locks that the current thread works under, the innermost lock first.
 * <p>
 * A {@code Mono}, a {@code Flux} and similar results change threads during their work.
 * For them, the handle is in the Context of Reactor, under the class {@link LockHandle}.
 */
public final class LockContext {

	/**
	 * This is bound to the thread, because a method that runs under a lock has no other
	 * way to find it.
	 */
	private static final ThreadLocal<@Nullable Frame> CURRENT = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock that the current thread works under.
	 * @return the handle of the lock
	 * @throws IllegalStateException if the thread works under no lock
	 */
	public static LockHandle current() {
		Frame frame = CURRENT.get();
		if (frame == null) {
			throw new IllegalStateException("There is no current lock on this thread ("
					+ Thread.currentThread().getName() + "). The calling code runs outside LockOperations.execute and "
					+ "outside the proxy of a @DistributedLock method. A call from within the same object does not go "
					+ "through the proxy.");
		}
		return frame.handle;
	}

	/**
	 * Find the innermost lock that matches a condition.
	 * @param condition the condition
	 * @return the handle of the lock, or empty if the thread works under no such lock
	 */
	public static Optional<LockHandle> find(Predicate<LockHandle> condition) {
		for (Frame frame = CURRENT.get(); frame != null; frame = frame.outer) {
			if (condition.test(frame.handle)) {
				return Optional.of(frame.handle);
			}
		}
		return Optional.empty();
	}

	/**
	 * Let the current thread work under a lock, for example to pass the lock on to a
	 * thread that works for its holder. This acquires and releases nothing.
	 * @param handle the lock
	 * @return the scope, which the same thread must close, the innermost scope first
	 */
	public static Scope enter(LockHandle handle) {
		Frame frame = new Frame(handle, CURRENT.get(), Thread.currentThread());
		CURRENT.set(frame);
		return frame;
	}

	private static void leave(@Nullable Frame frame) {
		if (frame != null) {
			CURRENT.set(frame);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * The time in which a thread works under a lock.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		/**
		 * End the scope. Only the first call on the thread that entered the scope has an
		 * effect. This call also ends all inner scopes that were not closed.
		 * @throws IllegalStateException if another thread entered the scope, in which
		 * case nothing has changed; or if an inner scope had not been closed
		 */
		@Override
		void close();

	}

	/**
	 * One lock of the thread that works under it. The frame belongs to this thread.
	 */
	private static final class Frame implements Scope {

		private final LockHandle handle;

		private final @Nullable Frame outer;

		private final Thread thread;

		private boolean over;

		private Frame(LockHandle handle, @Nullable Frame outer, Thread thread) {
			this.handle = handle;
			this.outer = outer;
			this.thread = thread;
		}

		@Override
		public void close() {
			if (Thread.currentThread() != this.thread) {
				throw new IllegalStateException("The scope of " + this.handle + " was entered on thread "
						+ this.thread.getName() + " and cannot be closed on thread " + Thread.currentThread().getName()
						+ ". Let each thread enter and close its own scope");
			}
			Frame inner = CURRENT.get();
			if (this.over || inner == null) {
				return;
			}
			for (Frame frame = inner; frame != this.outer && frame != null; frame = frame.outer) {
				frame.over = true;
			}
			leave(this.outer);
			if (inner != this) {
				throw new IllegalStateException("The scope of " + this.handle + " was closed before the inner scope of "
						+ inner.handle + ". Close the innermost scope first");
			}
		}

	}

}
