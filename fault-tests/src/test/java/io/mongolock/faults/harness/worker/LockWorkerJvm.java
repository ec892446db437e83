package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that holds locks, and works under them, as asked; what it cannot do is a
 * {@link WorkerJvm.FailedException}. All that happens in it is written to its history.
 * Thread-safe.
 */
public final class LockWorkerJvm extends WorkerJvm<LockWorker> {

	/** Refreshed every third of that, and so not lost by a process that has to wait. */
	public static final Duration PLACE_TTL = Duration.ofSeconds(15);

	// Several may start at a time
	public LockWorkerJvm(String connectionString, Duration ttl, Path history) {
		this(System.getProperty("java.class.path"), connectionString, ttl, history);
	}

	// On another class path, of an older release for example
	public LockWorkerJvm(String classPath, String connectionString, Duration ttl, Path history) {
		this(classPath, connectionString, ttl, history.toString());
	}

	private LockWorkerJvm(String classPath, String connectionString, Duration ttl, String history) {
		super(classPath, List.of("-Xmx128m"), () -> new LockWorker(connectionString, ttl, Path.of(history)));
	}

	@Override
	public LockWorkerJvm awaitReady() {
		super.awaitReady();
		return this;
	}

	// Acquires a lock and keeps it
	public long acquire(String key) {
		return ask((locks) -> locks.acquire(key));
	}

	public CompletableFuture<Long> acquireAsync(String key) {
		return send((locks) -> locks.acquire(key));
	}

	public void release(String key) {
		ask((locks) -> locks.release(key));
	}

	// Writes a guarded document that exists, without a look at whether the lock is held
	public void write(String key, long value) {
		ask((locks) -> locks.write(key, value));
	}

	public Status status(String key) {
		return ask((locks) -> locks.status(key));
	}

	// Runs critical sections, some after each other on each of some threads, that add 1
	// to the GuardedCounter of that name
	public CompletableFuture<SectionCounts> run(String key, int threads, int each, long workMillis) {
		return send((locks) -> locks.runSections(key, threads, each, workMillis));
	}

	/**
	 * How a worker stands to a key: not acquired or released, guaranteed held, or
	 * acquired and no longer guaranteed held.
	 */
	public enum Status {

		NONE, HELD, LOST

	}

}
