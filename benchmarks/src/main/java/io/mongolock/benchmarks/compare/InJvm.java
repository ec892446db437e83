package io.mongolock.benchmarks.compare;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks that other JVMs know nothing of.
 */
final class InJvm implements Competitor {

	private final Map<String, Lock> locks = new ConcurrentHashMap<>();

	@Override
	public Held lock(String key) {
		Lock lock = this.locks.computeIfAbsent(key, (name) -> new ReentrantLock(true));
		lock.lock();
		return lock::unlock;
	}

	@Override
	public long requests() {
		return -1;
	}

	@Override
	public void close() {
		// Nothing was opened
	}

}
