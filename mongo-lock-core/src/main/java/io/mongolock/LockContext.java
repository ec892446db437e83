package io.mongolock;

import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The locks that the current thread works under, innermost first.
 * <p>
 * Work of a {@code Mono}, a {@code Flux} or the like that runs under a lock changes
 * threads: there the handle is in the Context of Reactor, under the class
 * {@link LockHandle}.
 */
public final class LockContext {

	/**
	 * Per thread, because a method that runs under a lock has no other way to find it.
	 */
	private static final ThreadLocal<@Nullable Frame> CURRENT = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * The innermost lock that the current thread works under.
	 * @return its handle
	 * @throws IllegalStateException if the thread works under none
	 */
	public static LockHandle current() {
		Frame frame = CURRENT.get();
		if (frame == null) {
			throw new IllegalStateException("This thread (" + Thread.currentThread().getName()
					+ ") works under no lock, because the caller is run neither by LockOperations.execute nor by a "
					+ "@DistributedLock proxy. A call from within the same object does not go through the proxy.");
		}
		return frame.handle;
	}

	/**
	 * The innermost lock that fits.
	 * @param condition what to look for
	 * @return its handle, or empty if the thread works under none such
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
	 * Let the current thread work under a lock, for instance to hand one on to a thread
	 * that works for its holder. Does not acquire or release anything.
	 * @param handle the lock
	 * @return ends it, on the same thread, innermost first
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
		 * End it. Only the first call on the thread that entered has an effect; with it
		 * end those scopes that were entered within and not closed.
		 * @throws IllegalStateException if another thread entered it, and nothing has
		 * changed; or if a scope that was entered inside had not been closed
		 */
		@Override
		void close();

	}

	/**
	 * One lock on the thread that works under it, to which the frame belongs.
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
				throw new IllegalStateException("The scope of " + this.handle + " was closed before the scope of "
						+ inner.handle + ", which was entered inside it. Close the innermost scope first");
			}
		}

	}

}
