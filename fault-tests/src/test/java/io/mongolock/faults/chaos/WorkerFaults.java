package io.mongolock.faults.chaos;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.mongolock.faults.chaos.FaultPlan.WorkerFault;
import io.mongolock.faults.harness.WorkerCrew;

/**
 * Lets faults befall workers. Used by one thread.
 */
record WorkerFaults(WorkerCrew<?> workers) {

	// Returns when it is over and was quiet for a while
	void inflict(WorkerFault fault) {
		int victim = fault.victim() % this.workers.size();
		switch (fault.kind()) {
			case KILLED -> this.workers.replace(victim);
			case FROZEN, FROZEN_FOR_LONG -> this.workers.suspend(List.of(victim), fault.lasts());
			case TWO_FROZEN -> this.workers.suspend(List.of(victim, (victim + 1) % this.workers.size()), fault.lasts());
		}
		LockSupport.parkNanos(fault.quiet().toNanos());
	}

}
