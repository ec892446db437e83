package io.mongolock.faults.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.mongolock.faults.chaos.FaultPlan.WorkerFault;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.worker.MixedWorker;
import io.mongolock.faults.harness.worker.WorkerJvm;

/**
 * Workers, and faults that befall them. Used by one thread.
 */
final class WorkerFaults {

	private final WorkerProcesses crew;

	private final IntFunction<WorkerJvm<MixedWorker>> starter;

	private final List<WorkerJvm<MixedWorker>> workers;

	private int started;

	// The starter is given the number of each that it starts
	WorkerFaults(WorkerProcesses crew, int number, IntFunction<WorkerJvm<MixedWorker>> starter) {
		this.crew = crew;
		this.starter = starter;
		this.workers = new ArrayList<>(IntStream.range(0, number).mapToObj((i) -> start()).toList());
		this.workers.forEach(WorkerJvm::awaitReady);
	}

	private WorkerJvm<MixedWorker> start() {
		return this.starter.apply(this.started++);
	}

	// Returns when it is over and was quiet for a while; who follows one that was killed
	// may still be starting
	void inflict(WorkerFault fault) {
		int victim = fault.victim() % this.workers.size();
		int next = (victim + 1) % this.workers.size();
		switch (fault.kind()) {
			case KILLED -> {
				this.crew.kill(this.workers.get(victim));
				this.workers.set(victim, start());
			}
			case FROZEN, FROZEN_FOR_LONG -> freeze(List.of(this.workers.get(victim)), fault);
			case TWO_FROZEN -> freeze(List.of(this.workers.get(victim), this.workers.get(next)), fault);
		}
		LockSupport.parkNanos(fault.quiet().toNanos());
	}

	private void freeze(List<WorkerJvm<MixedWorker>> those, WorkerFault fault) {
		this.crew.suspend(those, () -> LockSupport.parkNanos(fault.lasts().toNanos()));
	}

	// Whether all ended what they had begun in time
	boolean finish() {
		List<CompletableFuture<Boolean>> all = this.workers.stream()
			.map((worker) -> worker.awaitReady().send(MixedWorker::finish))
			.toList();
		return all.stream().allMatch((ended) -> ended.orTimeout(2, TimeUnit.MINUTES).join());
	}

}
