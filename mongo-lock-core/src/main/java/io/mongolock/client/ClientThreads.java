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
import io.mongolock.core.QueuePlaces;
import io.mongolock.core.RenewalSchedule;
import io.mongolock.store.LockStore;

/**
 * The threads of a running client. Renewals, claims, clean-up and what users attach to
 * results run apart, so that none of them delays another. Except for results, what comes
 * after {@link #stop()} is dropped.
 */
final class ClientThreads {

	private static final Log logger = LogFactory.getLog(ClientThreads.class);

	/** No request takes long there: see {@link DividedEnding#PATIENCE}. */
	private static final int MAX_CLEAN_UPS = 16;

	/** The most tries at a time to clean up what is blocked. */
	static final int MAX_SUSPECTS = 8;

	private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(3);

	private static final long RETRY_START = 100_000_000;

	/**
	 * The schedules bound what runs; a thread that has handed in its answer may still be
	 * about to end, or be held up by the log, hence twice as many for renewals, and as
	 * many more as places and idle leases take. What finds none is tried again.
	 */
	private final ExecutorService renewals;

	private final RequestQueue requests = new RequestQueue();

	private final ExecutorService claims;

	private volatile boolean slow;

	private final ExecutorService cleanUps;

	private final ExecutorService suspects;

	private final ExecutorService confirmations;

	/** Not awaited at a stop. */
	private final ExecutorService looks;

	/** Whether one has yet to begin. */
	private final AtomicBoolean toConfirm = new AtomicBoolean();

	private final AtomicBoolean toRepeat = new AtomicBoolean();

	/**
	 * One thread for each result, as what users attach to one may block. Not stopped:
	 * every result is completed, and idle threads end by themselves, from the stop on at
	 * once.
	 */
	private final ThreadPoolExecutor results;

	private final ScheduledThreadPoolExecutor timer;

	ClientThreads(ClientRuntime runtime) {
		this.renewals = runtime.direct(
				2 * RenewalSchedule.MAX_REQUESTS + QueuePlaces.MAX_REQUESTS + IdleLeaseReaper.MAX_REQUESTS, 60,
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
	 * Where renewals run, none of them behind another.
	 * @return the executor; rejects what it has no thread for
	 */
	ExecutorService renewals() {
		return this.renewals;
	}

	/**
	 * Where looks for deadlocks run, which a stop does not wait for.
	 * @return the executor; rejects what it has no thread for
	 */
	ExecutorService looks() {
		return this.looks;
	}

	/**
	 * Run the request of a claim when its turn has come.
	 * @param request is given whether to take a moment only
	 */
	void claim(String key, Reason reason, Consumer<Boolean> request) {
		this.requests.add(key, reason, request);
		startRequests();
	}

	/**
	 * A claim was answered.
	 */
	void answeredIn(long nanos) {
		this.slow = nanos > DividedEnding.TIMEOUT.toNanos();
	}

	/**
	 * Whether the last claim that was answered took longer than a moment.
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
	 * Send a request that ends many, and if it hangs what is not blocked beside it.
	 * @param timeout how long it may take
	 * @throws RuntimeException what the store throws
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
			// No thread can be started now, nor would there be one for what follows
			return CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * Run a request that cleans up, later and after those that came before. It must not
	 * take long.
	 */
	void cleanUpAfter(long nanos, Runnable request) {
		cleanUpAfter(nanos, false, request);
	}

	/**
	 * Run a request that cleans up, later and after others of its kind.
	 * @param suspect whether the one before it had no answer; if so, it may take long
	 */
	void cleanUpAfter(long nanos, boolean suspect, Runnable request) {
		try {
			after(nanos, () -> start((suspect) ? this.suspects : this.cleanUps, request));
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started now, and the timer has it for when one can
		}
	}

	/**
	 * Run a request that repeats all that was released before, unless one has yet to
	 * begin.
	 */
	void repeat(Runnable request) {
		unlessPending(this.toRepeat, request, (task) -> cleanUpAfter(0, task));
	}

	/**
	 * Have a store confirm all that it answered before, unless a request for that has yet
	 * to begin. It is a hint, so it is dropped if there is no thread for it.
	 */
	void confirm(LockStore store) {
		try {
			unlessPending(this.toConfirm, () -> confirmNow(store), this.confirmations);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started: the next release tries again
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
	 * Run what completes a result, behind nothing else.
	 */
	void complete(Runnable result) {
		try {
			this.results.execute(result);
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started: better here than never
			result.run();
		}
	}

	/**
	 * Run something later.
	 * @param action must not block
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
	 * Let what is underway end, and begin nothing more.
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
