package io.mongolock.jobs;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Work that is interrupted once its time is over. If it then returns normally, it has
 * succeeded.
 *
 * @param work the work
 * @param most how long it may take
 */
record LimitedWork(JobWork<?> work, Duration most) implements JobWork<Throwable> {

	@Override
	public void run(JobRun run) throws Throwable {
		Limit limit = new Limit(Thread.currentThread());
		CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
		end.orTimeout(this.most.toMillis(), TimeUnit.MILLISECONDS).exceptionally((timeout) -> {
			limit.pass();
			return null;
		});
		Throwable failure = null;
		try {
			this.work.run(run);
		}
		catch (Throwable ex) {
			failure = ex;
		}
		end.complete(null);
		boolean passed = limit.isPassed();
		if (failure != null) {
			throw (passed) ? new JobTimeoutException(
					"The work was interrupted after its maxDuration of " + this.most.toMillis() + " ms", failure)
					: failure;
		}
	}

	/** Interrupts a thread only before it goes on to other work. */
	private static final class Limit {

		private final Thread thread;

		private boolean over;

		private boolean passed;

		private Limit(Thread thread) {
			this.thread = thread;
		}

		private synchronized void pass() {
			if (!this.over) {
				this.passed = true;
				this.thread.interrupt();
			}
		}

		private synchronized boolean isPassed() {
			this.over = true;
			// Clears the interrupt, which was for the work alone
			return this.passed && (Thread.interrupted() || this.passed);
		}

	}

}
