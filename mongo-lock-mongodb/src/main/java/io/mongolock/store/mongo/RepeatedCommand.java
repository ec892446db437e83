package io.mongolock.store.mongo;

import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A command, or several in turn, each of which is sent again, a few times, where its
 * failure says that the next attempt may succeed. All attempts share one timeout. Not
 * thread-safe.
 */
final class RepeatedCommand {

	private static final int ATTEMPTS = 5;

	private final Predicate<RuntimeException> worthRepeating;

	private final long deadline;

	/** How long the next attempt may take. */
	private long timeoutMillis;

	/** The last failure after which an attempt may still be executed. */
	private @Nullable RuntimeException doubt;

	/**
	 * Create a command.
	 * @param timeoutMillis how long all attempts may take, from now on
	 */
	RepeatedCommand(Predicate<RuntimeException> worthRepeating, long timeoutMillis) {
		this.worthRepeating = worthRepeating;
		this.timeoutMillis = timeoutMillis;
		this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
	}

	/**
	 * Send it.
	 * @param command given how many milliseconds an attempt may take, at least 1
	 * @throws RuntimeException what the last attempt failed with, unless one before it
	 * may still be executed and this one not: then what that failed with
	 */
	<T extends @Nullable Object> T send(LongFunction<T> command) {
		for (int attempt = 1;; attempt++) {
			try {
				return command.apply(Math.max(1, this.timeoutMillis));
			}
			catch (RuntimeException ex) {
				RuntimeException failure = withDoubt(ex);
				if (attempt == ATTEMPTS || !this.worthRepeating.test(ex) || millisLeft() < 1) {
					throw failure;
				}
			}
			finally {
				this.timeoutMillis = millisLeft();
			}
		}
	}

	private RuntimeException withDoubt(RuntimeException failure) {
		if (StoreFailures.isUnknown(failure)) {
			this.doubt = failure;
		}
		if (this.doubt == null || this.doubt == failure) {
			return failure;
		}
		this.doubt.addSuppressed(failure);
		return this.doubt;
	}

	/**
	 * The answer says nothing if an attempt before it may have been executed.
	 * @throws RuntimeException what such an attempt failed with
	 */
	void requireNoDoubt() {
		if (this.doubt != null) {
			throw this.doubt;
		}
	}

	/**
	 * Whether an attempt that has failed may still be executed.
	 */
	boolean isInDoubt() {
		return this.doubt != null;
	}

	private long millisLeft() {
		return TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
	}

}
