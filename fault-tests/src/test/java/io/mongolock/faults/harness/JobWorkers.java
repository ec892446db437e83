package io.mongolock.faults.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

import io.mongolock.faults.harness.history.JobReport;
import io.mongolock.faults.harness.worker.JobWorker;
import io.mongolock.faults.harness.worker.WorkerJvm;

/**
 * Processes that have the same jobs, and what is kept of their runs. Not thread-safe.
 */
public final class JobWorkers extends WorkerCrew<JobWorker> {

	private final WorkerProcesses processes;

	private final Duration ttl;

	private final Duration work;

	private final boolean faulty;

	private final IntFunction<Map<String, String>> environments;

	// Each has the environment of its place; that long is the longest work
	public JobWorkers(WorkerProcesses processes, int number, Duration ttl, Duration work,
			IntFunction<Map<String, String>> environments) {
		this(processes, number, ttl, work, false, environments);
	}

	// Those that are faulty have a job, too, whose work fails or takes too long
	public JobWorkers(WorkerProcesses processes, int number, Duration ttl, Duration work, boolean faulty,
			IntFunction<Map<String, String>> environments) {
		super(processes);
		this.processes = processes;
		this.ttl = ttl;
		this.work = work;
		this.faulty = faulty;
		this.environments = environments;
		fill(number);
	}

	@Override
	WorkerJvm<JobWorker> start(int place) {
		return this.processes.start((histories) -> start(this.environments.apply(place),
				this.processes.connectionString(), this.ttl, this.work, this.faulty, histories));
	}

	private static WorkerJvm<JobWorker> start(Map<String, String> environment, String connectionString, Duration ttl,
			Duration work, boolean faulty, Path histories) {
		String directory = histories.toString();
		return new WorkerJvm<>(environment, List.of("-Xmx128m"),
				() -> JobWorker.start(connectionString, ttl, work, faulty, directory));
	}

	// All are replaced one after the other, and cut off what takes longer than a second
	public void deploy() {
		deploy(JobWorker::cutOff);
	}

	// Lets all end what they have begun, and judges what is kept
	public JobReport finish() {
		finish(JobWorker::finish);
		return report();
	}

	// Until now
	public JobReport report() {
		return JobReport.of(this.processes.records(),
				this.processes.observer().getDatabase(Harness.DATABASE).getCollection("lockJobRuns"));
	}

}
