package io.mongolock.client;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.mongolock.core.RenewalSchedule;

/**
 * The threads of a running client: all of them platform daemon threads that come when
 * needed, those for renewals apart, so that nothing else delays them. What comes after
 * {@link #stop()} is dropped.
 */
final class ClientThreads {

	private static final int MAX_CLAIMS = 8;

	/**
	 * Takes an idle thread before it starts one, as no other may be had. The schedule
	 * bounds what runs; a thread that has handed in its answer may still be about to end,
	 * or be held up by the log, hence twice as many. What finds none is tried again.
	 */
	private final ExecutorService renewals = new ThreadPoolExecutor(0, 2 * RenewalSchedule.MAX_REQUESTS, 60,
			TimeUnit.SECONDS, new SynchronousQueue<>(), daemons("mongo-lock-renewal"),
			new ThreadPoolExecutor.AbortPolicy());

	private final ThreadPoolExecutor requests = new ThreadPoolExecutor(MAX_CLAIMS, MAX_CLAIMS, 10, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), daemons("mongo-lock-request"), new ThreadPoolExecutor.DiscardPolicy());

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons("mongo-lock-timer"),
			new ThreadPoolExecutor.DiscardPolicy());

	ClientThreads() {
		this.requests.allowCoreThreadTimeOut(true);
		this.timer.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Where renewals run, none of them behind another.
	 * @return the executor; rejects what it has no thread for
	 */
	ExecutorService renewals() {
		return this.renewals;
	}

	/**
	 * Run a request to the store, after those that came before.
	 * @param request the request
	 */
	void run(Runnable request) {
		this.requests.execute(request);
	}

	/**
	 * Run a request to the store later.
	 * @param nanos how much later
	 * @param request the request
	 */
	void runAfter(long nanos, Runnable request) {
		this.timer.schedule(() -> this.requests.execute(request), nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Run something later.
	 * @param nanos how much later
	 * @param action must not block
	 * @return to cancel it
	 */
	Future<?> after(long nanos, Runnable action) {
		return this.timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Let what is underway end, and begin nothing more.
	 */
	void stop() {
		this.timer.shutdownNow();
		this.requests.shutdown();
		this.renewals.shutdown();
	}

	static ThreadFactory daemons(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

}
