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
 * The means that a client takes from its JVM beside the clocks: threads, all of them
 * platform daemon threads that come when needed, ways to wait, and chance. A simulation
 * brings its own, so nothing else in this package that it drives may create a thread or
 * block; it has no document locks, which alone wait for {@link ClientLoop#awaitRenewals}.
 * Thread-safe.
 */
class ClientRuntime {

	/**
	 * Threads; an idle one is taken before another is started, as none may be to be
	 * started then.
	 * @param most how many at most; what finds none is rejected
	 */
	ThreadPoolExecutor direct(int most, int idleSeconds, String name) {
		return new ThreadPoolExecutor(0, most, idleSeconds, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons(name),
				new ThreadPoolExecutor.AbortPolicy());
	}

	/**
	 * Threads for which tasks wait.
	 * @param most how many at most
	 * @return the executor, which drops what comes after its shutdown
	 */
	ThreadPoolExecutor queued(int most, String name) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(most, most, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), daemons(name), new ThreadPoolExecutor.DiscardPolicy());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/**
	 * A thread for what has its time.
	 * @return the executor, which drops what comes after its shutdown
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
		// It inherits the class loader of the caller that happens to need one first
		// alone, which code of the application goes by
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
	 * @param thread who waits, or waits next
	 */
	void unpark(@Nullable Thread thread) {
		LockSupport.unpark(thread);
	}

	/**
	 * As {@link Semaphore#tryAcquire(int, long, TimeUnit)}.
	 * @param nanos how long to wait at most
	 * @throws InterruptedException if the thread is interrupted
	 */
	boolean tryAcquire(Semaphore permits, int all, long nanos) throws InterruptedException {
		return permits.tryAcquire(all, nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Wait for permits. An interrupt from before does not keep the thread from that, one
	 * that comes meanwhile ends it; the thread is interrupted after either.
	 * @param nanos how long to wait at most
	 * @return whether it has them
	 */
	final boolean await(Semaphore permits, int all, long nanos) {
		boolean interrupted = Thread.interrupted();
		try {
			return tryAcquire(permits, all, nanos);
		}
		catch (InterruptedException ex) {
			interrupted = true;
			return false;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Wait until no permit is taken.
	 * @param nanos how long to wait at most
	 */
	final void awaitUnused(Semaphore permits, int all, long nanos) {
		if (await(permits, all, nanos)) {
			permits.release(all);
		}
	}

	/**
	 * Numbers by lot.
	 * @return gives a number from zero to below its argument
	 */
	LongUnaryOperator random() {
		return (bound) -> ThreadLocalRandom.current().nextLong(bound);
	}

}
