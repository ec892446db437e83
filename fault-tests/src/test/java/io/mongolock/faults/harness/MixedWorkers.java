package io.mongolock.faults.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.mongolock.faults.harness.worker.MixedWorker;
import io.mongolock.faults.harness.worker.WorkerJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that use all kinds of locks at a time until they are to end, with the
 * documents that they write; each that is killed is followed by another. Not thread-safe.
 */
public final class MixedWorkers {

	private final WorkerProcesses processes;

	private final MixedDocuments documents;

	private final IntFunction<String> connectionStrings;

	private final long seed;

	private final List<WorkerJvm<MixedWorker>> workers;

	private int started;

	// Each is given the connection string of its place
	public MixedWorkers(WorkerProcesses processes, int number, long seed, IntFunction<String> connectionStrings) {
		this.processes = processes;
		this.documents = new MixedDocuments(processes);
		this.connectionStrings = connectionStrings;
		this.seed = seed;
		this.documents.insert();
		this.workers = new ArrayList<>(IntStream.range(0, number).mapToObj(this::start).toList());
		this.workers.forEach(WorkerJvm::awaitReady);
	}

	private WorkerJvm<MixedWorker> start(int place) {
		String connectionString = this.connectionStrings.apply(place);
		long own = this.seed + this.started++;
		return this.processes.start((histories) -> start(connectionString, own, histories));
	}

	private static WorkerJvm<MixedWorker> start(String connectionString, long seed, Path histories) {
		String directory = histories.toString();
		return new WorkerJvm<>(List.of("-Xmx128m"), () -> new MixedWorker(connectionString, seed, directory));
	}

	public int size() {
		return this.workers.size();
	}

	public void replace(int place) {
		this.processes.kill(this.workers.get(place));
		this.workers.set(place, start(place));
		this.workers.get(place).awaitReady();
	}

	public void suspend(List<Integer> places, Duration time) {
		this.processes.suspend(places.stream().map(this.workers::get).toList(),
				() -> LockSupport.parkNanos(time.toNanos()));
	}

	// Lets all end what they have begun, and writes down what they have written
	public void finish() {
		List<CompletableFuture<Boolean>> all = this.workers.stream()
			.map((worker) -> worker.awaitReady().send(MixedWorker::finish))
			.toList();
		assertThat(all).as("all end what they have begun")
			.allMatch((ended) -> ended.orTimeout(2, TimeUnit.MINUTES).join());
		this.documents.writeDown();
	}

}
