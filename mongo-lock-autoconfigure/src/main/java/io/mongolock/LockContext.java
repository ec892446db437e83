package io.mongolock;

import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The locks that the current thread works under, innermost first.
 */
public final class LockContext {

	/** Per thread, as a method that runs under a lock has no other way to find it. */
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
			throw new IllegalStateException("No lock on this thread (" + Thread.currentThread().getName()
					+ "): the caller is neither run by LockOperations.execute nor by a @DistributedLock proxy. "
					+ "A call from within the same object does not pass the proxy.");
		}
		return frame.handle();
	}

	/**
	 * The innermost lock that fits.
	 * @param condition what to look for
	 * @return its handle, or empty if the thread works under none such
	 */
	public static Optional<LockHandle> find(Predicate<LockHandle> condition) {
		for (Frame frame = CURRENT.get(); frame != null; frame = frame.outer()) {
			if (condition.test(frame.handle())) {
				return Optional.of(frame.handle());
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
		Frame outer = CURRENT.get();
		CURRENT.set(new Frame(handle, outer));
		return () -> {
			if (outer != null) {
				CURRENT.set(outer);
			}
			else {
				CURRENT.remove();
			}
		};
	}

	/**
	 * The time in which a thread works under a lock.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

	private record Frame(LockHandle handle, @Nullable Frame outer) {

	}

}
