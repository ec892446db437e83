package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.DividedEnding.Sender;
import io.mongolock.store.TimeLeft;

/**
 * The requests that a stop sends for many locks: all of them at once,
 * {@link DividedEnding divided} where one that is blocked would hold up the others, on
 * threads of its own, since the client's threads end. Thread-safe.
 */
final class StopRequests {

	/** The most of one request. */
	private static final int CHUNK = 500;

	/** The most whole requests at a time, and the most parts of those. */
	private static final int MAX_REQUESTS = 16;

	private final ClientRuntime runtime;

	private final Executor wholes;

	private final Executor parts;

	/** More than there can be requests. */
	private final Semaphore underway = new Semaphore(Integer.MAX_VALUE);

	StopRequests(ClientRuntime runtime) {
		this.runtime = runtime;
		this.wholes = runtime.direct(MAX_REQUESTS, 1, "mongo-lock-stop");
		this.parts = orHere(runtime.queued(MAX_REQUESTS, "mongo-lock-stop-part"));
	}

	// Where no thread can be started now
	private static Executor orHere(Executor threads) {
		return (task) -> {
			try {
				threads.execute(task);
			}
			catch (RuntimeException | Error ex) {
				task.run();
			}
		};
	}

	/**
	 * Send requests, and wait until they are answered but for what is blocked, which is
	 * waited for until the time is over in the background.
	 * @param failed hears of what was not answered in the end, and why
	 */
	<T> void send(List<T> all, Sender<T> sender, BiConsumer<List<T>, RuntimeException> failed, TimeLeft time) {
		List<Whole<T>> requests = new ArrayList<>();
		for (int from = 0; from < all.size(); from += CHUNK) {
			requests
				.add(new Whole<>(all.subList(from, Math.min(all.size(), from + CHUNK)), within(time, sender), failed));
		}
		Semaphore ended = new Semaphore(0);
		requests.forEach((request) -> begin(request, time, ended));
		if (!this.runtime.await(ended, requests.size(), DividedEnding.PATIENCE.toNanos())) {
			awaitSlow(requests, ended, time);
		}
		Semaphore divided = new Semaphore(0);
		requests.forEach((request) -> request.divideIfInTrouble(this.parts, divided::release));
		this.runtime.await(divided, requests.size(), time.left().toNanos());
	}

	// A server that is merely slow takes as long for a whole as for all of its parts
	private <T> void awaitSlow(List<Whole<T>> requests, Semaphore ended, TimeLeft time) {
		Semaphore answered = new Semaphore(0);
		Duration before = time.left();
		requests.forEach((request) -> request.request.sample(this.parts, answered::release));
		if (this.runtime.await(answered, requests.size(), DividedEnding.PATIENCE.toNanos() / 2)) {
			Duration took = before.minus(time.left());
			Duration more = took.multipliedBy(DividedEnding.PARTS - 1).minus(DividedEnding.PATIENCE);
			this.runtime.await(ended, requests.size(), more.toNanos());
		}
	}

	private static <T> Sender<T> within(TimeLeft time, Sender<T> sender) {
		return (some, timeout) -> {
			if (time.isOver()) {
				throw new IllegalStateException("the time for the shutdown was over before");
			}
			Duration left = time.left();
			sender.send(some, (timeout.compareTo(left) < 0) ? timeout : left);
		};
	}

	private <T> void begin(Whole<T> request, TimeLeft time, Semaphore ended) {
		this.underway.acquireUninterruptibly();
		Runnable end = () -> {
			this.underway.release();
			ended.release();
		};
		try {
			this.wholes.execute(() -> request.send(time, end));
		}
		catch (RuntimeException | Error ex) {
			// Then its parts alone are sent
			request.failed(ex, end);
		}
	}

	/**
	 * Wait for what was blocked as well.
	 */
	void awaitAll(TimeLeft time) {
		this.runtime.awaitUnused(this.underway, Integer.MAX_VALUE, time.left().toNanos());
	}

	/**
	 * One whole request.
	 *
	 * @param <T> what it is for
	 */
	private static final class Whole<T> {

		private final DividedEnding<T> request;

		private final BiConsumer<List<T>, RuntimeException> failed;

		/** The whole, and its parts if there are any. */
		private final AtomicInteger underway = new AtomicInteger(2);

		private volatile @Nullable RuntimeException failure;

		private Whole(List<T> all, Sender<T> sender, BiConsumer<List<T>, RuntimeException> failed) {
			this.request = new DividedEnding<>(all, sender, (answered) -> {
			});
			this.failed = failed;
		}

		private void send(TimeLeft time, Runnable end) {
			try {
				this.request.send(time.left());
				ended(end);
			}
			catch (RuntimeException | Error ex) {
				failed(ex, end);
			}
		}

		private void failed(Throwable cause, Runnable end) {
			this.failure = (cause instanceof RuntimeException known) ? known : new IllegalStateException(cause);
			ended(end);
		}

		private void ended(Runnable end) {
			try {
				ended();
			}
			finally {
				end.run();
			}
		}

		private void divideIfInTrouble(Executor threads, Runnable over) {
			// No single lock is to blame for one that failed without doubt
			if (this.failure instanceof LockStoreException known && known.getOutcome() != Outcome.UNKNOWN) {
				ended(over);
			}
			else {
				this.request.divide(threads, () -> ended(over));
			}
		}

		private void ended() {
			RuntimeException cause = this.failure;
			if (this.underway.decrementAndGet() == 0 && cause != null) {
				List<T> left = this.request.left();
				if (!left.isEmpty()) {
					this.failed.accept(left, cause);
				}
			}
		}

	}

}
