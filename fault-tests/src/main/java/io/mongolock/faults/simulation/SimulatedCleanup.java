package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;

import io.mongolock.core.OrphanCleanup;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;

/**
 * Runs one clean-up to its end, as the product's own shell does.
 */
record SimulatedCleanup(SimulatedClient client, OrphanCleanup cleanup, LeaseId id) {

	void begin() {
		goOn(this.cleanup.first(this.client.now()));
	}

	private void release() {
		Duration timeout = this.client.judge.histories.of(this.id.leaseToken()).terms.operationTimeout();
		if (this.cleanup.isInLine()) {
			this.client.ask(Request.leave(List.of(this.id), timeout),
					(left) -> this.client.judge.count(Event.LINE_LEAVE), (outcome) -> {
					});
		}
		Duration keptFor = this.cleanup.keptFor(this.client.now());
		this.client.ask(
				(keptFor.isZero()) ? Request.release(this.id, timeout) : Request.keep(this.id, keptFor, timeout),
				(there) -> {
					if (!keptFor.isZero()) {
						this.client.judge.kept(this.id, there);
					}
					else if (there) {
						this.client.judge.count(Event.FREED_BY_CLEAN_UP);
					}
					goOn(this.cleanup.answered(this.client.now()));
				}, (outcome) -> goOn(this.cleanup.failed(this.client.now())));
	}

	private void goOn(long pause) {
		if (pause >= 0) {
			this.client.after(pause, this::release);
		}
	}

}
