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
import org.springframework.util.FileSystemUtils;

import io.mongolock.faults.harness.history.HistoryChecker;
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

	private final Path histories = newDirectory();

	private final HistoryWriter history;

	// Use the server that the environment names; without one, start an embedded one
	public WorkerProcesses() {
		Target given = Target.given().orElse(null);
		this.process = (given != null) ? null : EmbeddedServerProcess.start();
		this.target = (given != null) ? given : Target.embedded(this.process.port());
		this.observer = MongoClients.create(this.target.connectionString());
		this.store = HarnessClient.store(this.observer);
		this.observer.getDatabase(Harness.DATABASE).drop();
		this.history = new HistoryWriter(this.histories);
	}

	private static Path newDirectory() {
		try {
			return Files.createTempDirectory("history");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public List<LockWorkerJvm> start(int number, Duration ttl) {
		List<LockWorkerJvm> started = IntStream.range(0, number).mapToObj((i) -> start(ttl)).toList();
		started.forEach(LockWorkerJvm::awaitReady);
		return started;
	}

	public LockWorkerJvm start(Duration ttl) {
		return start(this.target.connectionString(), ttl);
	}

	public LockWorkerJvm start(String connectionString, Duration ttl) {
		LockWorkerJvm worker = new LockWorkerJvm(connectionString, ttl, this.histories);
		this.workers.add(worker);
		return worker;
	}

	public void kill(LockWorkerJvm worker) {
		worker.jvm().kill();
		write(new Died(String.valueOf(worker.jvm().pid()), System.nanoTime()));
		this.workers.remove(worker);
	}

	// All of them together, until the given action returns
	public void suspend(List<LockWorkerJvm> stopped, Runnable until) {
		long begun = System.nanoTime();
		stopped.forEach((worker) -> worker.jvm().suspend());
		until.run();
		stopped.forEach((worker) -> worker.jvm().resume());
		long ended = System.nanoTime();
		stopped.forEach((worker) -> write(new Stalled(String.valueOf(worker.jvm().pid()), begun, ended)));
	}

	// The process of the server, if it is an embedded one
	public Optional<EmbeddedServerProcess> server() {
		return Optional.ofNullable(this.process);
	}

	public Target target() {
		return this.target;
	}

	public String label() {
		return this.target.label();
	}

	public MongoLockStore store() {
		return this.store;
	}

	// By the server; zero if nobody holds it
	public Duration remaining(String key) {
		return this.store.find(key, Harness.LONG)
			.map(StoredLock::liveHolders)
			.filter((holders) -> !holders.isEmpty())
			.map((holders) -> holders.get(0).remaining())
			.orElse(Duration.ZERO);
	}

	// Process ids, by the server
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

	// Writes down what the counter of a key stands at
	public void count(String key, long expected) {
		write(new Counted(key, expected, new GuardedCounter(this.observer, Harness.DATABASE).get(key)));
	}

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
		return HistoryChecker.check(this.histories);
	}

	// The history of all of them, and what is held by now, breaks no promise
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
		FileSystemUtils.deleteRecursively(this.histories.toFile());
		if (this.process != null) {
			this.process.close();
		}
	}

}
