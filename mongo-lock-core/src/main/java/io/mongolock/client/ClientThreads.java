package io.mongolock.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.client.RequestQueue.Reason;
import io.mongolock.client.RequestQueue.Request;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Linger;
import io.mongolock.core.QueuePlaces;
import io.mongolock.core.RenewalSchedule;
import io.mongolock.store.LockStore;

/**
 * The threads of a running client. Renewals, claims, clean-up, and functions that users
 * attach to results run on separate threads, so that none of them delays another. After
 * {@link #stop()}, new tasks are dropped or rejected, except tasks for results.
 */
final class ClientThreads {

	private static final Log logger = LogFactory.getLog(ClientThreads.class);

	/** No request takes long on these threads: see {@link DividedEnding#PATIENCE}. */
	private static final int MAX_CLEAN_UPS = 16;

	/** The maximum number of simultaneous clean-ups of documents that may be blocked. */
	static final int MAX_SUSPECTS = 8;

	private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(3);

	private static final long RETRY_START = 100_000_000;

	/**
	 * The schedules limit how many requests run. A thread that has delivered its answer
	 * may not have ended yet, or may wait for the log. So there are twice as many threads
	 * as renewals, and further threads for places and idle leases. A request that finds
	 * no thread is tried again.
	 */
	private final ExecutorService renewals;

	private final RequestQueue requests = new RequestQueue();

	private final ExecutorService claims;

	private volatile boolean slow;

	private final ExecutorService cleanUps;

	private final ExecutorService suspects;

	private final ExecutorService confirmations;

	/** A stop does not wait for these threads. */
	private final ExecutorService looks;

	/** Whether a confirmation waits for a thread. */
	private final AtomicBoolean toConfirm = new AtomicBoolean();

	private final AtomicBoolean toRepeat = new AtomicBoolean();

	/**
	 * There is one thread for each result, because functions that users attach to a
	 * result may block. These threads are not stopped, because every result is completed.
	 * Idle threads end by themselves, and after the stop they end at once.
	 */
	private final ThreadPoolExecutor results;

	private final ScheduledThreadPoolExecutor timer;

	ClientThreads(ClientRuntime runtime) {
		this.renewals = runtime.direct(
				2 * RenewalSchedule.MAX_REQUESTS + QueuePlaces.MAX_REQUESTS + Linger.MAX_REQUESTS, 60,
				"mongo-lock-renewal");
		this.claims = runtime.queued(RequestQueue.MAX_REQUESTS, "mongo-lock-request");
		this.cleanUps = runtime.queued(MAX_CLEAN_UPS, "mongo-lock-clean-up");
		this.suspects = runtime.queued(MAX_SUSPECTS, "mongo-lock-suspect");
		this.confirmations = runtime.queued(1, "mongo-lock-confirm");
		this.looks = runtime.direct(1, 10, "mongo-lock-deadlock");
		this.results = runtime.direct(Integer.MAX_VALUE, 10, "mongo-lock-result");
		this.timer = runtime.timer("mongo-lock-timer");
	}

	/**
	 * The threads for renewals. No renewal waits for another one.
	 * @return the executor, which rejects a task that finds no thread
	 */
	ExecutorService renewals() {
		return this.renewals;
	}

	/**
	 * The threads for looks for deadlocks. A stop does not wait for these looks.
	 * @return the executor, which rejects a task that finds no thread
	 */
	ExecutorService looks() {
		return this.looks;
	}

	/**
	 * Run the request of a claim when its turn has come.
	 * @param request sends the request; its argument says whether to wait only for a
	 * moment
	 */
	void claim(String key, Reason reason, Consumer<Boolean> request) {
		this.requests.add(key, reason, request);
		startRequests();
	}

	/**
	 * Note how long the answer to a claim took.
	 */
	void answeredIn(long nanos) {
		this.slow = nanos > DividedEnding.TIMEOUT.toNanos();
	}

	/**
	 * Whether the last answer to a claim took longer than a moment.
	 */
	boolean isSlow() {
		return this.slow;
	}

	private void startRequests() {
		for (Request next = this.requests.next(); next != null; next = this.requests.next()) {
			Request request = next;
			start(this.claims, () -> run(request));
		}
	}

	private void run(Request request) {
		try {
			request.run();
		}
		finally {
			this.requests.ended(request);
			startRequests();
		}
	}

	/**
	 * Send a request that ends many locks or places. If the request hangs, also send its
	 * parts, so that only blocked documents wait.
	 * @param timeout how long the request may take
	 * @throws RuntimeException the failure of the store
	 */
	void send(DividedEnding<?> request, Duration timeout) {
		Future<?> patience = afterPatience(() -> request.divide((part) -> start(this.cleanUps, part)));
		try {
			request.send(ClockReading.shorter(timeout, DividedEnding.TIMEOUT));
		}
		finally {
			patience.cancel(false);
		}
	}

	private Future<?> afterPatience(Runnable action) {
		try {
			return after(DividedEnding.PATIENCE.toNanos(), action);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started now, so the parts would have no threads, either
			return CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * Run a clean-up request after a delay, and after requests that came before. The
	 * request must not take long.
	 */
	void cleanUpAfter(long nanos, Runnable request) {
		cleanUpAfter(nanos, false, request);
	}

	/**
	 * Run a clean-up request after a delay, and after other requests of its kind.
	 * @param suspect whether the previous request had no answer; if so, this request may
	 * take long
	 */
	void cleanUpAfter(long nanos, boolean suspect, Runnable request) {
		try {
			after(nanos, () -> start((suspect) ? this.suspects : this.cleanUps, request));
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started now. The timer keeps the task until one can be
			// started
		}
	}

	/**
	 * Run a request that repeats all earlier releases, unless such a request waits for a
	 * thread.
	 */
	void repeat(Runnable request) {
		unlessPending(this.toRepeat, request, (task) -> cleanUpAfter(0, task));
	}

	/**
	 * Let a store confirm all its earlier answers, unless a request for that waits for a
	 * thread. The confirmation is only a hint, so it is dropped if there is no thread for
	 * it.
	 */
	void confirm(LockStore store) {
		try {
			unlessPending(this.toConfirm, () -> confirmNow(store), this.confirmations);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started, so the next release tries again
			this.toConfirm.set(false);
		}
	}

	private void confirmNow(LockStore store) {
		if (this.confirmations.isShutdown()) {
			return;
		}
		try {
			store.confirmReleases(CONFIRM_TIMEOUT);
		}
		catch (RuntimeException ex) {
			logger.debug("Could not confirm the release of locks and places in queues, so waiters notice these "
					+ "releases later", ex);
		}
	}

	private static void unlessPending(AtomicBoolean pending, Runnable request, Executor threads) {
		if (pending.compareAndSet(false, true)) {
			threads.execute(() -> {
				pending.set(false);
				request.run();
			});
		}
	}

	/**
	 * Run a task that completes a result. The task waits for no other task.
	 */
	void complete(Runnable result) {
		try {
			this.results.execute(result);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started, and this thread must complete the result
			result.run();
		}
	}

	/**
	 * Run an action after a delay.
	 * @param action the action, which must not block
	 */
	Future<?> after(long nanos, Runnable action) {
		return this.timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * How many actions wait for their time.
	 */
	int timers() {
		return this.timer.getQueue().size();
	}

	/**
	 * Begin no more tasks, and let tasks underway end.
	 */
	void stop() {
		this.timer.shutdownNow();
		this.claims.shutdown();
		this.cleanUps.shutdown();
		this.suspects.shutdown();
		this.confirmations.shutdown();
		this.looks.shutdown();
		this.renewals.shutdown();
		this.results.setKeepAliveTime(0, TimeUnit.SECONDS);
	}

	private void start(ExecutorService executor, Runnable request) {
		try {
			executor.execute(request);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started now
			after(RETRY_START, () -> start(executor, request));
		}
	}

}
