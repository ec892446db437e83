package io.mongolock.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

import io.mongolock.LockHolder;
import io.mongolock.faults.harness.history.HistoryChecker;
import io.mongolock.faults.harness.history.HistoryRecord;
import io.mongolock.faults.harness.history.HistoryRecord.Counted;
import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Held;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.faults.harness.register.RegisterReport;
import io.mongolock.faults.harness.register.Registers;
import io.mongolock.faults.harness.worker.ChildJvm;
import io.mongolock.faults.harness.worker.GuardedCounter;
import io.mongolock.faults.harness.worker.LockWorkerJvm;
import io.mongolock.faults.harness.worker.WorkerJvm;
import io.mongolock.faults.harness.worker.WorkerJvm.SetUp;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server process, worker processes, and the history that they write together. Not
 * thread-safe.
 */
public final class WorkerProcesses implements AutoCloseable {

	private final List<WorkerJvm<?>> workers = new ArrayList<>();

	private final @Nullable WorkerJvm<EmbeddedMongo> process;

	private final @Nullable Target target;

	private final String connectionString;

	private final String label;

	private final MongoClient observer;

	private final MongoLockStore store;

	private final Path histories = newDirectory();

	private final HistoryWriter history;

	// Use the server that the environment names; without one, start an embedded one
	public WorkerProcesses() {
		this(EmbeddedMongo::start);
	}

	private WorkerProcesses(SetUp<EmbeddedMongo> embedded) {
		this(Target.given().map(Given::of).orElseGet(() -> Given.embedded(embedded)));
	}

	private WorkerProcesses(Given given) {
		this.process = given.process();
		this.target = given.target();
		this.connectionString = given.connectionString();
		this.label = given.label();
		this.observer = MongoClients.create(this.connectionString);
		this.store = HarnessClient.store(this.observer);
		this.observer.getDatabase(Harness.DATABASE).drop();
		this.history = new HistoryWriter(this.histories);
	}

	// Servers that are there, emptied
	public static WorkerProcesses on(String connectionString, String label) {
		return new WorkerProcesses(new Given(null, null, connectionString, label));
	}

	// The embedded one is then a replica set of one member, which has change streams
	public static WorkerProcesses onReplicaSet() {
		return new WorkerProcesses(() -> EmbeddedMongo.builder().replicaSet().start());
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
		return start(this.connectionString, ttl);
	}

	public LockWorkerJvm start(String connectionString, Duration ttl) {
		return start((histories) -> new LockWorkerJvm(connectionString, ttl, histories));
	}

	// Not yet ready; it writes its history to the given directory
	public <W extends WorkerJvm<?>> W start(Function<Path, W> starter) {
		W worker = starter.apply(this.histories);
		this.workers.add(worker);
		return worker;
	}

	public void kill(WorkerJvm<?> worker) {
		worker.process().kill();
		write(new Died(String.valueOf(worker.process().pid()), System.nanoTime()));
		this.workers.remove(worker);
	}

	// All of them together, until the given action returns
	public void suspend(List<? extends WorkerJvm<?>> stopped, Runnable until) {
		long begun = System.nanoTime();
		stopped.forEach((worker) -> worker.process().suspend());
		until.run();
		stopped.forEach((worker) -> worker.process().resume());
		long ended = System.nanoTime();
		stopped.forEach((worker) -> write(new Stalled(String.valueOf(worker.process().pid()), begun, ended)));
	}

	// The process of the server, if it is an embedded one
	public Optional<ChildJvm> server() {
		return Optional.ofNullable(this.process).map(WorkerJvm::process);
	}

	// If it is one server
	public Target target() {
		return Objects.requireNonNull(this.target);
	}

	public String connectionString() {
		return this.connectionString;
	}

	public String label() {
		return this.label;
	}

	// The servers without faults
	public MongoClient observer() {
		return this.observer;
	}

	public MongoLockStore store() {
		return this.store;
	}

	// By the server; zero if nobody holds it
	public Duration remaining(String key) {
		return holders(key).map(LockHolder::remaining).findFirst().orElse(Duration.ZERO);
	}

	private Stream<LockHolder> holders(String key) {
		return this.store.find(key, Harness.LONG).stream().flatMap((lock) -> lock.liveHolders().stream());
	}

	// What holders write under a lock
	public MongoCollection<Document> guarded() {
		return this.observer.getDatabase(Harness.DATABASE).getCollection("guardedValue");
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

	public List<HistoryRecord> records() {
		return HistoryWriter.read(this.histories);
	}

	public HistoryReport check() {
		return HistoryChecker.check(this.histories);
	}

	// By others than the checker of histories
	public RegisterReport checkRegisters() {
		return Registers.check(this.histories);
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
		this.workers.forEach(WorkerJvm::close);
		this.observer.close();
		this.history.close();
		FileSystemUtils.deleteRecursively(this.histories.toFile());
		if (this.process != null) {
			this.process.close();
		}
	}

	/**
	 * What they work on.
	 */
	private record Given(@Nullable WorkerJvm<EmbeddedMongo> process, @Nullable Target target, String connectionString,
			String label) {

		static Given of(Target target) {
			return new Given(null, target, target.connectionString(), target.label());
		}

		static Given embedded(SetUp<EmbeddedMongo> setUp) {
			WorkerJvm<EmbeddedMongo> process = new WorkerJvm<>(List.of("-Xmx256m"), setUp).awaitReady();
			Target target = Target.embedded(process.ask(EmbeddedMongo::port));
			return new Given(process, target, target.connectionString(), target.label());
		}

	}

}
