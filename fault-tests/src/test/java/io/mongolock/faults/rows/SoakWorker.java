package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.SectionCounts;
import io.mongolock.test.proxy.FaultProxy;

/**
 * A worker process behind a proxy of its own that works until it is told to stop, and is
 * followed by another when it is killed. Not thread-safe.
 */
final class SoakWorker implements AutoCloseable {

	private static final long[] WORK_MILLIS = { 1, 20, 300, 3000 };

	private final AtomicInteger completed = new AtomicInteger();

	private final WorkerProcesses crew;

	private final FaultProxy proxy;

	private final Duration ttl;

	private final List<String> keys;

	private volatile boolean over;

	private volatile LockWorkerJvm worker;

	private CompletableFuture<Void> runs = CompletableFuture.completedFuture(null);

	SoakWorker(WorkerProcesses crew, Duration ttl, List<String> keys) {
		this.crew = crew;
		this.ttl = ttl;
		this.keys = keys;
		this.proxy = FaultProxy.to(crew.target().host(), crew.target().port());
		start();
	}

	FaultProxy proxy() {
		return this.proxy;
	}

	LockWorkerJvm jvm() {
		return this.worker;
	}

	int completed() {
		return this.completed.get();
	}

	/**
	 * Kill the process, and start the next.
	 */
	void replace() {
		this.crew.kill(this.worker);
		start();
	}

	/** Begin no more work; completes when what had begun has ended. */
	CompletableFuture<Void> finish() {
		this.over = true;
		return this.runs;
	}

	@Override
	public void close() {
		this.proxy.close();
	}

	private void start() {
		LockWorkerJvm next = this.crew.start(this.crew.target().through(this.proxy), this.ttl);
		this.worker = next;
		next.awaitReady();
		CompletableFuture<?>[] all = new CompletableFuture<?>[this.keys.size()];
		for (int i = 0; i < all.length; i++) {
			all[i] = run(next, this.keys.get(i), WORK_MILLIS[i % WORK_MILLIS.length]);
		}
		this.runs = CompletableFuture.allOf(all);
	}

	private CompletableFuture<SectionCounts> run(LockWorkerJvm on, String key, long workMillis) {
		// those who stand behind long work when all is over are waited for
		return on.run(key, (workMillis > 1000) ? 1 : 2, 1, workMillis).thenCompose((counts) -> {
			this.completed.addAndGet(counts.completed());
			return (this.over || on != this.worker) ? CompletableFuture.completedFuture(counts)
					: run(on, key, workMillis);
		});
	}

}
