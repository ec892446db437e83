package io.mongolock.store.mongo;

import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;

/**
 * Repeats a command, or several in turn, a few times each, if the failure says that the
 * next attempt may succeed. All attempts share one timeout. Not thread-safe.
 */
final class RepeatedCommand {

	private static final int ATTEMPTS = 5;

	private final long deadline;

	/** How long the next attempt may take. */
	private long timeoutMillis;

	/** The last failure that leaves open whether its attempt may still be executed. */
	private @Nullable RuntimeException doubt;

	/**
	 * Create a command.
	 * @param timeoutMillis how long all attempts may take, from now on
	 */
	RepeatedCommand(long timeoutMillis) {
		this.timeoutMillis = timeoutMillis;
		this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
	}

	/**
	 * Send a command.
	 * @param command given how many milliseconds an attempt may take, at least 1
	 * @throws RuntimeException the failure of the last attempt that may still be
	 * executed, or of the last attempt if there is none
	 */
	<T extends @Nullable Object> T send(LongFunction<T> command) {
		for (int attempt = 1;; attempt++) {
			try {
				return command.apply(Math.max(1, this.timeoutMillis));
			}
			catch (RuntimeException ex) {
				RuntimeException failure = withDoubt(ex);
				if (attempt == ATTEMPTS || !StoreFailures.mayNextClaimSucceed(ex) || millisLeft() < 1) {
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
	 * Fail if an earlier attempt may have been executed, because then the answer proves
	 * nothing.
	 * @throws RuntimeException the failure of that attempt
	 */
	void requireNoDoubt() {
		if (this.doubt != null) {
			throw this.doubt;
		}
	}

	/**
	 * Whether a failed attempt may still be executed.
	 */
	boolean isInDoubt() {
		return this.doubt != null;
	}

	private long millisLeft() {
		return TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
	}

}
