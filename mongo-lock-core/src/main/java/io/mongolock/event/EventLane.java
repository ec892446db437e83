package io.mongolock.event;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Runs tasks in the order of their arrival, on threads of its own, which exist while
 * there are tasks. Adding a task neither blocks nor fails, whatever the tasks do. A full
 * lane drops its oldest task, and reports how many tasks were dropped. Thread-safe: the
 * lane's own monitor guards all state.
 */
final class EventLane {

	private static final long IDLE_MILLIS = 1000;

	private final ThreadFactory threads;

	private final int maxThreads;

	private final int capacity;

	private final LongConsumer onDropped;

	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private int running;

	private int idle;

	private long dropped;

	private final Set<Thread> workers = new HashSet<>();

	/** Threads that wait until all tasks have run. */
	private final List<CountDownLatch> awaiting = new ArrayList<>();

	/** Whether tasks wait because no thread could be started. */
	private volatile boolean stalled;

	/**
	 * Create a lane.
	 * @param maxThreads the maximum number of tasks that run at the same time
	 * @param capacity the maximum number of tasks that wait
	 * @param onDropped is given the number of tasks that were dropped since its last call
	 */
	EventLane(ThreadFactory threads, int maxThreads, int capacity, LongConsumer onDropped) {
		this.threads = threads;
		this.maxThreads = maxThreads;
		this.capacity = capacity;
		this.onDropped = onDropped;
	}

	/**
	 * Run a task after the tasks that came before it. Returns at once.
	 */
	void add(Runnable task) {
		if (enqueue(task)) {
			startThread();
		}
	}

	/**
	 * Run the tasks that wait because no thread could be started, if a thread can be
	 * started now.
	 */
	boolean retry() {
		if (this.stalled && restart()) {
			startThread();
		}
		return this.stalled;
	}

	/**
	 * Wait until all tasks that were added have run. If one of the tasks calls this
	 * method, it returns at once.
	 */
	void awaitAll(Duration timeout) {
		retry();
		CountDownLatch over = new CountDownLatch(1);
		synchronized (this) {
			if (this.workers.contains(Thread.currentThread())) {
				return;
			}
			this.awaiting.add(over);
			tellIfOver();
		}
		try {
			over.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void tellIfOver() {
		if (this.tasks.isEmpty() && this.running == this.idle) {
			this.awaiting.forEach(CountDownLatch::countDown);
			this.awaiting.clear();
		}
	}

	private synchronized boolean restart() {
		boolean starts = this.running == 0 && !this.tasks.isEmpty();
		this.running += (starts) ? 1 : 0;
		this.stalled = false;
		return starts;
	}

	private synchronized boolean enqueue(Runnable task) {
		if (this.tasks.size() >= this.capacity) {
			this.tasks.removeFirst();
			this.dropped++;
		}
		this.tasks.addLast(task);
		notify();
		boolean starts = this.tasks.size() > this.idle && this.running < this.maxThreads;
		this.running += (starts) ? 1 : 0;
		return starts;
	}

	private void startThread() {
		try {
			this.threads.newThread(this::work).start();
		}
		catch (RuntimeException | Error ex) {
			// A thread that runs takes the task. If there is none, the next call of add
			// or retry starts a thread
			synchronized (this) {
				this.running--;
				this.stalled = this.running == 0;
				tellIfOver();
			}
		}
	}

	private void work() {
		for (Runnable task = next(); task != null; task = next()) {
			try {
				task.run();
			}
			catch (Throwable ex) {
				report(ex);
			}
		}
	}

	private static void report(Throwable failure) {
		Thread current = Thread.currentThread();
		try {
			current.getUncaughtExceptionHandler().uncaughtException(current, failure);
		}
		catch (Throwable ex) {
			// For example, the log itself failed. The tasks that follow must run
			// nevertheless
		}
	}

	private synchronized @Nullable Runnable next() {
		this.workers.add(Thread.currentThread());
		if (this.tasks.isEmpty()) {
			awaitTask();
		}
		if (this.dropped > 0) {
			long count = this.dropped;
			this.dropped = 0;
			return () -> this.onDropped.accept(count);
		}
		Runnable task = this.tasks.pollFirst();
		if (task == null) {
			this.running--;
			this.workers.remove(Thread.currentThread());
		}
		return task;
	}

	private void awaitTask() {
		this.idle++;
		tellIfOver();
		try {
			wait(IDLE_MILLIS);
		}
		catch (InterruptedException ex) {
			// A task that ran here left the interrupt behind, so it was not meant for
			// this thread
		}
		finally {
			this.idle--;
		}
	}

}
