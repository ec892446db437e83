package io.mongolock.leader;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.mongolock.LockClock;

/**
 * The clocks of this machine, which a test steps ahead. Thread-safe.
 */
final class SteppedClock implements LockClock {

	private final AtomicLong stepped = new AtomicLong();

	private final Set<Thread> watches = ConcurrentHashMap.newKeySet();

	/**
	 * Step ahead; who waits for a deadline looks at the clock when it is woken.
	 */
	void step(Duration step) {
		this.stepped.addAndGet(step.toNanos());
	}

	/**
	 * Have deadlines looked at now.
	 */
	void wake() {
		this.watches.forEach(LockSupport::unpark);
	}

	@Override
	public long nanoTime() {
		if (Thread.currentThread().getName().equals("mongo-lock-watch")) {
			this.watches.add(Thread.currentThread());
		}
		return System.nanoTime() + this.stepped.get();
	}

	@Override
	public long currentTimeMillis() {
		return System.currentTimeMillis() + this.stepped.get() / 1_000_000;
	}

}
