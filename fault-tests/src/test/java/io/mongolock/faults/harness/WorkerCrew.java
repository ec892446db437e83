package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.mongolock.faults.harness.worker.WorkerJvm;
import io.mongolock.faults.harness.worker.WorkerJvm.Call;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes at their places; each that is killed is followed by another. Not thread-safe.
 *
 * @param <T> what works in each
 */
public abstract class WorkerCrew<T> {

	private final WorkerProcesses processes;

	private final List<WorkerJvm<T>> workers = new ArrayList<>();

	WorkerCrew(WorkerProcesses processes) {
		this.processes = processes;
	}

	// Not yet ready
	abstract WorkerJvm<T> start(int place);

	final void fill(int number) {
		IntStream.range(0, number).mapToObj(this::start).forEach(this.workers::add);
		this.workers.forEach(WorkerJvm::awaitReady);
	}

	public final int size() {
		return this.workers.size();
	}

	public final List<WorkerJvm<T>> workers() {
		return this.workers;
	}

	public final void replace(int place) {
		this.processes.kill(this.workers.get(place));
		this.workers.set(place, start(place));
		this.workers.get(place).awaitReady();
	}

	// One after the other, each once it has ended what it can
	final void deploy(Call<T, Boolean> end) {
		for (int place = 0; place < size(); place++) {
			this.workers.get(place).ask(end);
			replace(place);
		}
	}

	// All at once, and as many follow after that time
	public final void outage(Duration time) {
		this.workers.forEach(this.processes::kill);
		int number = size();
		this.workers.clear();
		LockSupport.parkNanos(time.toNanos());
		fill(number);
	}

	public final void suspend(List<Integer> places, Duration time) {
		this.processes.suspend(places.stream().map(this.workers::get).toList(),
				() -> LockSupport.parkNanos(time.toNanos()));
	}

	// Lets all end what they have begun
	final void finish(Call<T, Boolean> end) {
		List<CompletableFuture<Boolean>> all = this.workers.stream()
			.map((worker) -> worker.awaitReady().send(end))
			.toList();
		assertThat(all).as("all end what they have begun")
			.allMatch((ended) -> ended.orTimeout(2, TimeUnit.MINUTES).join());
	}

}
