package io.mongolock.benchmarks.compare;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.mongodb.client.MongoClient;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;

/**
 * ShedLock on MongoDB. It does not wait, so a denied claim is tried again after a random
 * time up to an interval.
 */
final class ShedLock implements Competitor {

	private static final Duration MOST = Duration.ofSeconds(30);

	private final CommandCount commands = new CommandCount();

	private final MongoClient client;

	private final MongoLockProvider locks;

	private final long interval;

	ShedLock(String uri, Duration interval) {
		this.client = this.commands.connect(uri);
		this.locks = new MongoLockProvider(this.client.getDatabase(CommandCount.DATABASE));
		this.interval = interval.toNanos();
	}

	@Override
	public Held lock(String key) {
		while (true) {
			Optional<SimpleLock> lock = this.locks.lock(new LockConfiguration(Instant.now(), key, MOST, Duration.ZERO));
			if (lock.isPresent()) {
				return lock.get()::unlock;
			}
			LockSupport.parkNanos(
					Math.max(TimeUnit.MILLISECONDS.toNanos(1), ThreadLocalRandom.current().nextLong(this.interval)));
		}
	}

	@Override
	public long requests() {
		return this.commands.get();
	}

	@Override
	public void close() {
		this.client.close();
	}

}
