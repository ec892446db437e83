package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.DividedEnding.Sender;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Division;
import io.mongolock.store.TimeLeft;

/**
 * The requests by which a stop gives back locks and places, many with one request. They
 * run on threads of their own, because the threads of the client end. A request without
 * an answer for a moment is divided ({@link Division}). Once one part is answered, each
 * lock of the other parts is asked for alone. This is repeated until the time is over,
 * and each round waits twice as long as the round before. A server that is merely slow
 * answers one of these requests, so only blocked locks are left. All of these requests
 * may be executed twice. Thread-safe.
 */
final class StopRequests {

	/** The maximum size of one request. */
	private static final int CHUNK = 125;

	/** The maximum number of simultaneous whole requests. */
	private static final int MAX_WHOLES = 16;

	/** The maximum number of simultaneous parts. Each blocked part keeps a thread. */
	private static final int MAX_PARTS = 32;

	private final ClientRuntime runtime;

	private final Executor wholes;

	private final Executor parts;

	/** More permits than there can be requests. */
	private final Semaphore underway = new Semaphore(Integer.MAX_VALUE);

	StopRequests(ClientRuntime runtime) {
		this.runtime = runtime;
		this.wholes = runtime.queued(MAX_WHOLES, "mongo-lock-stop");
		this.parts = runtime.queued(MAX_PARTS, "mongo-lock-stop-part");
	}

	/**
	 * Send requests, and do not wait for them.
	 * @param failed is given the elements that were not answered in the end, and the
	 * reason
	 */
	<T> void send(List<T> all, Sender<T> sender, BiConsumer<List<T>, RuntimeException> failed, TimeLeft time) {
		Division.batches(all, CHUNK).forEach((some) -> new Request<>(some, sender, failed, time).begin());
	}

	/**
	 * Wait until all requests are answered, or the time is over.
	 */
	void awaitAll(TimeLeft time) {
		this.runtime.awaitUnused(this.underway, Integer.MAX_VALUE, time.left().toNanos());
	}

	/**
	 * One request and its parts.
	 *
	 * @param <T> the type of the elements
	 */
	private final class Request<T> {

		private final List<T> all;

		private final DividedEnding<T> ending;

		private final BiConsumer<List<T>, RuntimeException> failed;

		private final TimeLeft time;

		private final Duration budget;

		/** Gets a permit when the whole request has an answer or has failed. */
		private final Semaphore whole = new Semaphore(0);

		private final AtomicInteger tasks = new AtomicInteger();

		private final AtomicBoolean over = new AtomicBoolean();

		private volatile boolean answered;

		private Request(List<T> all, Sender<T> sender, BiConsumer<List<T>, RuntimeException> failed, TimeLeft time) {
			this.all = all;
			this.ending = new DividedEnding<>(all, inTime(sender, time), (some) -> this.answered = true);
			this.failed = failed;
			this.time = time;
			this.budget = time.left();
		}

		private static <T> Sender<T> inTime(Sender<T> sender, TimeLeft time) {
			return (some, timeout) -> {
				if (time.isOver()) {
					throw new IllegalStateException(
							"this request was not sent, because the time for the shutdown was over");
				}
				sender.send(some, ClockReading.shorter(timeout, time.left()));
			};
		}

		private void begin() {
			StopRequests.this.underway.acquireUninterruptibly();
			this.tasks.incrementAndGet();
			start(StopRequests.this.wholes, () -> {
				this.ending.ask(this.all, this.budget);
				this.whole.release();
			});
			start(StopRequests.this.parts, () -> {
				Duration patience = DividedEnding.PATIENCE.minus(this.budget.minus(this.time.left()));
				StopRequests.this.runtime.await(this.whole, 1, patience.toNanos());
				divide(Division.parts(this.ending.left()), DividedEnding.PATIENCE);
			});
			ended();
		}

		private void divide(List<List<T>> parts, Duration waited) {
			Duration patience = waited.multipliedBy(2);
			// A refusal is not the fault of a single lock
			boolean refused = this.ending.failure() instanceof LockStoreException known
					&& known.getOutcome() == Outcome.REFUSED;
			if (refused || waited.compareTo(this.budget) > 0) {
				return;
			}
			parts.forEach((part) -> start(StopRequests.this.parts, () -> {
				if (!this.ending.ask(part, patience)) {
					// A server that has answered nothing is slow, which is not the fault
					// of a single lock
					List<T> left = this.ending.left(part);
					divide(Division.batches(left, (this.answered) ? 1 : left.size()), patience);
				}
			}));
		}

		private void start(Executor threads, Runnable task) {
			this.tasks.incrementAndGet();
			try {
				threads.execute(() -> run(task));
			}
			catch (RuntimeException | Error ex) {
				// No thread can be started now
				run(task);
			}
		}

		private void run(Runnable task) {
			try {
				task.run();
			}
			finally {
				ended();
			}
		}

		// If all elements are answered, do not wait for requests that still hang
		private void ended() {
			boolean last = this.tasks.decrementAndGet() == 0;
			List<T> open = this.ending.left();
			RuntimeException cause = this.ending.failure();
			if ((last || open.isEmpty()) && this.over.compareAndSet(false, true)) {
				try {
					if (cause != null && !open.isEmpty()) {
						this.failed.accept(open, cause);
					}
				}
				finally {
					StopRequests.this.underway.release();
				}
			}
		}

	}

}
