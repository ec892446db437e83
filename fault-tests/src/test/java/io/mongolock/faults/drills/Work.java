package io.mongolock.faults.drills;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;

import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.Harness;

/**
 * Locks that are held all the time, and short work that takes locks again and again.
 * Thread-safe.
 */
final class Work implements AutoCloseable {

	private static final int HELD = 24;

	private static final int WORKERS = 4;

	private final LockOperations locks;

	private final List<LockHandle> held;

	private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);

	private final AtomicInteger failed = new AtomicInteger();

	/** Of the last grant, and the longest time between two, guarded by this. */
	private long granted;

	private long longestGap;

	private volatile boolean over;

	Work(LockOperations locks) {
		this.locks = locks;
		this.held = IntStream.range(0, HELD).mapToObj((i) -> locks.acquire(LockRequest.of("held", i))).toList();
		this.granted = System.nanoTime();
		IntStream.range(0, WORKERS).forEach((i) -> this.workers.execute(() -> work(i)));
	}

	private void work(int worker) {
		while (!this.over) {
			try {
				this.locks.acquire(LockRequest.of("work", worker)).close();
				granted();
			}
			catch (LockException ex) {
				this.failed.incrementAndGet();
			}
			LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
		}
	}

	private synchronized void granted() {
		long now = System.nanoTime();
		this.longestGap = Math.max(this.longestGap, now - this.granted);
		this.granted = now;
	}

	int lost() {
		return (int) this.held.stream().filter((handle) -> !handle.isHeld()).count();
	}

	int held() {
		return this.held.size();
	}

	int failed() {
		return this.failed.get();
	}

	synchronized Duration longestWithoutGrants() {
		return Duration.ofNanos(this.longestGap);
	}

	@Override
	public void close() {
		this.over = true;
		this.workers.shutdown();
		Awaitility.await().atMost(Harness.LONG).until(this.workers::isTerminated);
	}

}
