package io.mongolock.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.history.HistoryChecker;
import io.mongolock.faults.harness.history.HistoryReader;
import io.mongolock.faults.harness.history.HistoryRecord;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.faults.harness.worker.EmbeddedServerProcess;
import io.mongolock.faults.harness.worker.GuardedCounter;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.LockWorkerSettings;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.MongoLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server process, worker processes, and the history that they write together. Not safe
 * for use by several threads.
 */
public final class WorkerProcesses implements AutoCloseable {

	private final List<LockWorkerJvm> workers = new ArrayList<>();

	private final @Nullable EmbeddedServerProcess process;

	private final Target target;

	private final MongoClient observer;

	private final MongoLockStore store;

	private final Path file;

	private final HistoryWriter history;

	/**
	 * Use the server that the environment names; without one, start an embedded one.
	 */
	public WorkerProcesses() {
		Target given = Target.given().orElse(null);
		this.process = (given != null) ? null : EmbeddedServerProcess.start();
		this.target = (given != null) ? given : Target.embedded(this.process.port());
		this.observer = MongoClients.create(this.target.connectionString());
		this.store = HarnessClient.store(this.observer);
		this.observer.getDatabase(Harness.DATABASE).drop();
		this.file = newFile();
		this.history = new HistoryWriter(this.file, "test");
	}

	private static Path newFile() {
		try {
			return Files.createTempFile("history", ".txt");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start workers.
	 * @param number how many
	 * @param ttl their ttl
	 * @return the workers, all of them ready
	 */
	public List<LockWorkerJvm> start(int number, Duration ttl) {
		List<LockWorkerJvm> started = IntStream.range(0, number).mapToObj((i) -> start(ttl)).toList();
		started.forEach(LockWorkerJvm::awaitReady);
		return started;
	}

	/**
	 * Start a worker.
	 * @param ttl its ttl
	 * @return the worker, not yet ready
	 */
	public LockWorkerJvm start(Duration ttl) {
		return start(this.target.connectionString(), ttl);
	}

	public LockWorkerJvm start(String connectionString, Duration ttl) {
		LockWorkerJvm worker = LockWorkerJvm.start(new LockWorkerSettings(connectionString, Harness.DATABASE, ttl,
				Duration.ofSeconds(110), this.file.toString()));
		this.workers.add(worker);
		return worker;
	}

	/**
	 * Kill a worker.
	 * @param worker the worker
	 */
	public void kill(LockWorkerJvm worker) {
		worker.jvm().kill();
		write(new Died(String.valueOf(worker.jvm().pid()), System.nanoTime()));
		this.workers.remove(worker);
	}

	/**
	 * Let workers stand still all together.
	 * @param stopped the workers
	 * @param until returns when they are to go on
	 */
	public void suspend(List<LockWorkerJvm> stopped, Runnable until) {
		long begun = System.nanoTime();
		stopped.forEach((worker) -> worker.jvm().suspend());
		until.run();
		stopped.forEach((worker) -> worker.jvm().resume());
		long ended = System.nanoTime();
		stopped.forEach((worker) -> write(new Stalled(String.valueOf(worker.jvm().pid()), begun, ended)));
	}

	/**
	 * The process of the server, if it is an embedded one.
	 * @return the process
	 */
	public Optional<EmbeddedServerProcess> server() {
		return Optional.ofNullable(this.process);
	}

	/**
	 * The server.
	 * @return where it is
	 */
	public Target target() {
		return this.target;
	}

	/**
	 * What figures are measured on.
	 * @return the label
	 */
	public String label() {
		return this.target.label();
	}

	public MongoLockStore store() {
		return this.store;
	}

	/**
	 * How long the lease of a key still runs, by the server.
	 * @param key the key
	 * @return the time, zero if nobody holds it
	 */
	public Duration remaining(String key) {
		return this.store.find(key, Harness.LONG)
			.map(StoredLock::liveHolders)
			.filter((holders) -> !holders.isEmpty())
			.map((holders) -> holders.get(0).remaining())
			.orElse(Duration.ZERO);
	}

	/**
	 * Which processes hold a key, by the server.
	 * @param key the key
	 * @return their process ids
	 */
	public List<Long> holders(String key) {
		return this.store.find(key, Harness.LONG)
			.map(StoredLock::liveHolders)
			.orElse(List.of())
			.stream()
			.map((holder) -> holder.owner().pid())
			.toList();
	}

	public Document guarded(String key) {
		return this.observer.getDatabase(Harness.DATABASE)
			.getCollection("guardedValue")
			.find(new Document("_id", key))
			.first();
	}

	public void insertGuarded(String key) {
		this.observer.getDatabase(Harness.DATABASE).getCollection("guardedValue").insertOne(new Document("_id", key));
	}

	/**
	 * Write down what the counter of a key stands at.
	 * @param key the key
	 * @param expected how many updates were reported as done
	 */
	public void count(String key, long expected) {
		write(new Counted(key, expected, new GuardedCounter(this.observer, Harness.DATABASE).get(key)));
	}

	/**
	 * Write down all locks that are held.
	 */
	private void writeHeld() {
		for (StoredLock lock : this.store.list(1000, Harness.LONG)) {
			lock.liveHolders()
				.forEach((holder) -> write(new Held(lock.key(), holder.fence(), holder.owner().toString())));
		}
	}

	public void write(HistoryRecord record) {
		this.history.write(record);
	}

	public HistoryReport check() {
		return new HistoryChecker().check(HistoryReader.read(List.of(this.file)));
	}

	/**
	 * Assert that the history of all of them, and what is held by now, breaks no promise.
	 * @return what was found
	 */
	public HistoryReport assertClean() {
		writeHeld();
		HistoryReport report = check();
		assertThat(report.violations()).as(report::toTable).isEmpty();
		return report;
	}

	@Override
	public void close() {
		this.workers.forEach(LockWorkerJvm::close);
		this.observer.close();
		this.history.close();
		this.file.toFile().delete();
		if (this.process != null) {
			this.process.close();
		}
	}

}
