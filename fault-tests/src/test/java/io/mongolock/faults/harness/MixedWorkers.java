package io.mongolock.faults.harness;

import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;

import io.mongolock.faults.harness.worker.MixedWorker;
import io.mongolock.faults.harness.worker.WorkerJvm;

/**
 * Processes that use all kinds of locks at a time until they are to end, with the
 * documents that they write. Not thread-safe.
 */
public final class MixedWorkers extends WorkerCrew<MixedWorker> {

	private final WorkerProcesses processes;

	private final MixedDocuments documents;

	private final IntFunction<String> connectionStrings;

	private final long seed;

	private int started;

	// Each is given the connection string of its place
	public MixedWorkers(WorkerProcesses processes, int number, long seed, IntFunction<String> connectionStrings) {
		super(processes);
		this.processes = processes;
		this.documents = new MixedDocuments(processes);
		this.connectionStrings = connectionStrings;
		this.seed = seed;
		this.documents.insert();
		fill(number);
	}

	@Override
	WorkerJvm<MixedWorker> start(int place) {
		String connectionString = this.connectionStrings.apply(place);
		long own = this.seed + this.started++;
		return this.processes.start((histories) -> start(connectionString, own, histories));
	}

	private static WorkerJvm<MixedWorker> start(String connectionString, long seed, Path histories) {
		String directory = histories.toString();
		return new WorkerJvm<>(List.of("-Xmx128m"), () -> new MixedWorker(connectionString, seed, directory));
	}

	// Lets all end what they have begun, and writes down what they have written
	public void finish() {
		finish(MixedWorker::finish);
		this.documents.writeDown();
	}

}
