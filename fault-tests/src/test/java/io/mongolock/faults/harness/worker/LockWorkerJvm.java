package io.mongolock.faults.harness.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that holds locks, and works under them, as told. All that happens in it is
 * written to its history. Thread-safe.
 */
public final class LockWorkerJvm implements AutoCloseable {

	/** Refreshed every third of that, and so not lost by a process that has to wait. */
	public static final Duration PLACE_TTL = Duration.ofSeconds(15);

	private static final List<String> SMALL = List.of("-Xmx128m");

	private final WorkerJvm<LockWorker> worker;

	private LockWorkerJvm(LockWorkerSettings settings) {
		this.worker = WorkerJvm.start(SMALL, () -> new LockWorker(settings));
	}

	/**
	 * Start a worker; several may start at a time.
	 * @param settings what it is told
	 * @return the worker, not yet ready
	 */
	public static LockWorkerJvm start(LockWorkerSettings settings) {
		return new LockWorkerJvm(settings);
	}

	/**
	 * Wait until it is ready, up to two minutes.
	 * @return this
	 */
	public LockWorkerJvm awaitReady() {
		this.worker.awaitReady();
		return this;
	}

	/**
	 * Its process, for signals.
	 * @return the process
	 */
	public ChildJvm jvm() {
		return this.worker.process();
	}

	/**
	 * Acquire a lock and keep it.
	 * @param key what is locked
	 * @return the fence
	 * @throws WorkerFailedException with the type of what was thrown instead
	 */
	public long acquire(String key) {
		return this.worker.ask((locks) -> locks.acquire(key));
	}

	/**
	 * Acquire a lock and keep it, without waiting here.
	 * @param key what is locked
	 * @return completes with the fence, or a {@link WorkerFailedException}
	 */
	public CompletableFuture<Long> acquireAsync(String key) {
		return this.worker.send((locks) -> locks.acquire(key));
	}

	/**
	 * Release a lock.
	 * @param key what is locked
	 * @throws WorkerFailedException if it had been lost
	 */
	public void release(String key) {
		this.worker.ask((locks) -> locks.release(key));
	}

	/**
	 * Write a guarded document without a look at whether the lock is still held. The
	 * document must exist in the collection {@code guardedValue}.
	 * @param key the key of the lock, and the id of the document
	 * @param value what to write
	 * @throws WorkerFailedException with the type of what was thrown instead
	 */
	public void write(String key, long value) {
		this.worker.ask((locks) -> locks.write(key, value));
	}

	/**
	 * How it stands to a key.
	 * @param key the key
	 * @return its status
	 */
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
