package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that holds locks, and works under them, as told. All that happens in it is
 * written to its history. Thread-safe.
 */
public final class LockWorkerJvm implements AutoCloseable {

	private static final String[] SMALL = { "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1" };

	private final WorkerJvm jvm;

	private LockWorkerJvm(WorkerJvm jvm) {
		this.jvm = jvm;
	}

	/**
	 * What the child runs.
	 * @param args see {@link LockWorkerSettings}
	 * @throws IOException if standard input fails
	 */
	public static void main(String[] args) throws IOException {
		LockWorker.run(args);
		System.exit(0);
	}

	/**
	 * Start a worker; several may start at a time.
	 * @param settings what it is told
	 * @return the worker, not yet ready
	 */
	public static LockWorkerJvm start(LockWorkerSettings settings) {
		return new LockWorkerJvm(WorkerJvm.start(LockWorkerJvm.class, List.of(SMALL), settings.toArgs()));
	}

	/**
	 * Wait until it is ready, up to two minutes.
	 * @return this
	 */
	public LockWorkerJvm awaitReady() {
		this.jvm.awaitReady();
		return this;
	}

	/**
	 * Its process, for signals.
	 * @return the process
	 */
	public WorkerJvm jvm() {
		return this.jvm;
	}

	/**
	 * Acquire a lock and keep it.
	 * @param key what is locked
	 * @return the fence
	 * @throws WorkerFailedException with the type of what was thrown instead
	 */
	public long acquire(String key) {
		return Long.parseLong(this.jvm.ask("acquire", key));
	}

	/**
	 * Acquire a lock and keep it, without waiting here.
	 * @param key what is locked
	 * @return completes with the fence, or a {@link WorkerFailedException}
	 */
	public CompletableFuture<Long> acquireAsync(String key) {
		return this.jvm.send("acquire", key).thenApply(Long::valueOf);
	}

	/**
	 * Give a lock back.
	 * @param key what is locked
	 * @throws WorkerFailedException if it had been lost
	 */
	public void release(String key) {
		this.jvm.ask("release", key);
	}

	/**
	 * Write a guarded document without a look at whether the lock is still held. The
	 * document must exist in the collection {@code guardedValue}.
	 * @param key the key of the lock, and the id of the document
	 * @param value what to write
	 * @throws WorkerFailedException with the type of what was thrown instead
	 */
	public void write(String key, long value) {
		this.jvm.ask("write", key, String.valueOf(value));
	}

	/**
	 * How it stands to a key.
	 * @param key the key
	 * @return its status
	 */
	public LockStatus status(String key) {
		return LockStatus.valueOf(this.jvm.ask("status", key));
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
		return this.jvm.send("run", key, String.valueOf(threads), String.valueOf(each), String.valueOf(workMillis))
			.thenApply(SectionCounts::parse);
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
