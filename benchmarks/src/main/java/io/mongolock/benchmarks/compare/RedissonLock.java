package io.mongolock.benchmarks.compare;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's lock on one Redis server.
 */
final class RedissonLock implements Competitor {

	private final RedissonClient client;

	RedissonLock(String uri) {
		Config config = new Config();
		config.useSingleServer().setAddress(uri);
		this.client = Redisson.create(config);
	}

	@Override
	public Held lock(String key) {
		RLock lock = this.client.getLock(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public long requests() {
		return -1;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
