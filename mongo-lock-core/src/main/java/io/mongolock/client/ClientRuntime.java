package io.mongolock.client;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * The resources that a client takes from its JVM, besides the clocks: threads, ways to
 * wait, and random numbers. All threads are platform daemon threads that start when they
 * are needed. A simulation brings its own runtime. So no other code of this package that
 * the simulation drives may create a thread or block. The simulation has no document
 * locks, and only they wait for {@link ClientLoop#awaitRenewals}. Thread-safe.
 */
class ClientRuntime {

	/**
	 * Create an executor that hands each task to a thread at once. It prefers an idle
	 * thread to a new one, because the JVM may be unable to start a thread.
	 * @param most the maximum number of threads; a task that finds no thread is rejected
	 */
	ThreadPoolExecutor direct(int most, int idleSeconds, String name) {
		return new ThreadPoolExecutor(0, most, idleSeconds, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons(name),
				new ThreadPoolExecutor.AbortPolicy());
	}

	/**
	 * Create an executor whose tasks wait for a thread.
	 * @param most the maximum number of threads
	 * @return the executor, which drops tasks after its shutdown
	 */
	ThreadPoolExecutor queued(int most, String name) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(most, most, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), daemons(name), new ThreadPoolExecutor.DiscardPolicy());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * Create an executor with one thread for delayed tasks.
	 * @return the executor, which drops tasks after its shutdown
	 */
	ScheduledThreadPoolExecutor timer(String name) {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons(name),
				new ThreadPoolExecutor.DiscardPolicy());
		timer.setRemoveOnCancelPolicy(true);
		return timer;
	}

	ThreadFactory daemons(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> daemon(task, name + "-" + count.incrementAndGet());
	}

	Thread watch(Runnable task) {
		return daemon(task, "mongo-lock-watch");
	}

	private static Thread daemon(Runnable task, String name) {
		// The thread inherits from its creator only the class loader, which code of the
		// application relies on
		Thread thread = new Thread(null, task, name, 0, false);
		thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * As {@link LockSupport#parkNanos(Object, long)}.
	 */
	void park(Object blocker, long nanos) {
		LockSupport.parkNanos(blocker, nanos);
	}

	/**
	 * As {@link LockSupport#unpark}.
	 * @param thread the thread that waits now, or waits next
	 */
	void unpark(@Nullable Thread thread) {
		LockSupport.unpark(thread);
	}

	/**
	 * As {@link Semaphore#tryAcquire(int, long, TimeUnit)}.
	 * @param nanos the longest wait in nanoseconds
	 * @throws InterruptedException if the thread is interrupted
	 */
	boolean tryAcquire(Semaphore permits, int all, long nanos) throws InterruptedException {
		return permits.tryAcquire(all, nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Wait for permits. An interrupt ends the wait, and the thread is interrupted
	 * afterwards.
	 * @param nanos the longest wait in nanoseconds
	 * @return whether the permits were acquired
	 */
	final boolean await(Semaphore permits, int all, long nanos) {
		try {
			return tryAcquire(permits, all, nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * Wait until no permit is taken.
	 * @param nanos the longest wait in nanoseconds
	 */
	final void awaitUnused(Semaphore permits, int all, long nanos) {
		if (await(permits, all, nanos)) {
			permits.release(all);
		}
	}

	/**
	 * The source of random numbers.
	 * @return a function whose result is at least zero and less than its argument
	 */
	LongUnaryOperator random() {
		return (bound) -> ThreadLocalRandom.current().nextLong(bound);
	}

}
