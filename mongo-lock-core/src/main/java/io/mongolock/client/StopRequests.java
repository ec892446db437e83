package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.DividedEnding.Sender;
import io.mongolock.store.TimeLeft;

/**
 * What a stop gives back, many with one request, on threads of its own, since the
 * client's threads end. A server executes the statements of a request one after the
 * other, so one that is blocked would hold up those behind it. Therefore a request
 * without an answer for a moment is asked beside in parts, once one of them is answered
 * each lock of the others alone, and all that again until the time is over, each time for
 * twice as long: a server that is merely slow answers one of them, and only the blocked
 * one stays. All of this may be executed twice. Thread-safe.
 */
final class StopRequests {

	/** The most of one request. */
	private static final int CHUNK = 125;

	/** The most whole requests at a time. */
	private static final int MAX_WHOLES = 16;

	/** The most parts at a time: each that is blocked keeps a thread. */
	private static final int MAX_PARTS = 32;

	private static final Log logger = LogFactory.getLog(StopRequests.class);

	private final ClientRuntime runtime;

	private final Executor wholes;

	private final Executor parts;

	/** More than there can be requests. */
	private final Semaphore underway = new Semaphore(Integer.MAX_VALUE);

	StopRequests(ClientRuntime runtime) {
		this.runtime = runtime;
		this.wholes = orHere(runtime.queued(MAX_WHOLES, "mongo-lock-stop"));
		this.parts = orHere(runtime.queued(MAX_PARTS, "mongo-lock-stop-part"));
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
	 * Send requests, and do not wait for them.
	 * @param failed hears of what was not answered in the end, and why
	 */
	<T> void send(List<T> all, Sender<T> sender, BiConsumer<List<T>, RuntimeException> failed, TimeLeft time) {
		for (int from = 0; from < all.size(); from += CHUNK) {
			new Request<>(all.subList(from, Math.min(all.size(), from + CHUNK)), sender, failed, time).begin();
		}
	}

	/**
	 * Wait until all is answered, or the time is over.
	 */
	void awaitAll(TimeLeft time) {
		this.runtime.awaitUnused(this.underway, Integer.MAX_VALUE, time.left().toNanos());
	}

	/**
	 * One request, with all that is asked beside it.
	 *
	 * @param <T> what it is for
	 */
	private final class Request<T> {

		private final List<T> all;

		private final Sender<T> sender;

		private final BiConsumer<List<T>, RuntimeException> failed;

		private final TimeLeft time;

		private final Duration budget;

		private final Set<T> left = ConcurrentHashMap.newKeySet();

		/** Has a permit once the whole request has an answer, or has failed. */
		private final Semaphore whole = new Semaphore(0);

		private final AtomicInteger tasks = new AtomicInteger();

		private final AtomicBoolean over = new AtomicBoolean();

		private volatile boolean answered;

		private volatile @Nullable RuntimeException failure;

		private Request(List<T> all, Sender<T> sender, BiConsumer<List<T>, RuntimeException> failed, TimeLeft time) {
			this.all = all;
			this.sender = sender;
			this.failed = failed;
			this.time = time;
			this.budget = time.left();
			this.left.addAll(all);
		}

		private void begin() {
			StopRequests.this.underway.acquireUninterruptibly();
			this.tasks.incrementAndGet();
			start(StopRequests.this.wholes, () -> {
				ask(this.all, this.budget);
				this.whole.release();
			});
			start(StopRequests.this.parts, () -> {
				Duration patience = DividedEnding.PATIENCE.minus(this.budget.minus(this.time.left()));
				StopRequests.this.runtime.await(this.whole, 1, patience.toNanos());
				divide(this.all, (this.all.size() + DividedEnding.PARTS - 1) / DividedEnding.PARTS,
						DividedEnding.PATIENCE);
			});
			ended();
		}

		private void divide(List<T> unanswered, int size, Duration waited) {
			List<T> open = open(unanswered);
			Duration patience = waited.multipliedBy(2);
			// No single lock is to blame for a refusal
			boolean refused = this.failure instanceof LockStoreException known && known.getOutcome() == Outcome.REFUSED;
			if (refused || waited.compareTo(this.budget) > 0) {
				return;
			}
			for (int from = 0; from < open.size(); from += size) {
				List<T> part = open.subList(from, Math.min(open.size(), from + size));
				start(StopRequests.this.parts, () -> {
					if (!ask(part, patience)) {
						// A server that has answered nothing is slow, and no lock to
						// blame
						divide(part, (this.answered) ? 1 : part.size(), patience);
					}
				});
			}
		}

		private boolean ask(List<T> some, Duration timeout) {
			List<T> open = open(some);
			if (open.isEmpty()) {
				return true;
			}
			try {
				if (this.time.isOver()) {
					throw new IllegalStateException("the time for the shutdown was over before");
				}
				Duration most = this.time.left();
				this.sender.send(open, (timeout.compareTo(most) < 0) ? timeout : most);
				open.forEach(this.left::remove);
				this.answered = true;
				return true;
			}
			catch (RuntimeException | Error ex) {
				logger.debug("One of " + open.size() + " keeps the others waiting, or itself", ex);
				this.failure = (ex instanceof RuntimeException known) ? known : new IllegalStateException(ex);
				return false;
			}
		}

		private List<T> open(List<T> some) {
			return some.stream().filter(this.left::contains).toList();
		}

		private void start(Executor threads, Runnable task) {
			this.tasks.incrementAndGet();
			threads.execute(() -> {
				try {
					task.run();
				}
				finally {
					ended();
				}
			});
		}

		// What still hangs although all is answered is not waited for
		private void ended() {
			boolean last = this.tasks.decrementAndGet() == 0;
			List<T> open = open(this.all);
			RuntimeException cause = this.failure;
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
