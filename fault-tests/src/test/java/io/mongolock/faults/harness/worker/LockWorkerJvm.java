package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that holds locks, and works under them, as told; what it cannot do is a
 * {@link WorkerFailedException}. All that happens in it is written to its history.
 * Thread-safe.
 */
public final class LockWorkerJvm implements AutoCloseable {

	/** Refreshed every third of that, and so not lost by a process that has to wait. */
	public static final Duration PLACE_TTL = Duration.ofSeconds(15);

	private final WorkerJvm<LockWorker> worker;

	// Several may start at a time
	public LockWorkerJvm(String connectionString, Duration ttl, Path history) {
		String directory = history.toString();
		this.worker = WorkerJvm.start(List.of("-Xmx128m"),
				() -> new LockWorker(connectionString, ttl, Path.of(directory)));
	}

	public LockWorkerJvm awaitReady() {
		this.worker.awaitReady();
		return this;
	}

	public ChildJvm jvm() {
		return this.worker.process();
	}

	// Acquires a lock and keeps it
	public long acquire(String key) {
		return this.worker.ask((locks) -> locks.acquire(key));
	}

	public CompletableFuture<Long> acquireAsync(String key) {
		return this.worker.send((locks) -> locks.acquire(key));
	}

	public void release(String key) {
		this.worker.ask((locks) -> locks.release(key));
	}

	// Writes a guarded document that exists, without a look at whether the lock is held
	public void write(String key, long value) {
		this.worker.ask((locks) -> locks.write(key, value));
	}

	public LockStatus status(String key) {
		return this.worker.ask((locks) -> locks.status(key));
	}

	/**
	 * Run critical sections that each add 1 to the {@link GuardedCounter} of that name.
	 * @param key what is locked
	 * @param threads how many threads do so
	 * @param each how many sections each runs, one after the other
	 * @param workMillis how long a section takes at least
	 * @return completes with how they ended
	 */
	public CompletableFuture<SectionCounts> run(String key, int threads, int each, long workMillis) {
		return this.worker.send((locks) -> locks.runSections(key, threads, each, workMillis));
	}

	@Override
	public void close() {
		this.worker.close();
	}

}
