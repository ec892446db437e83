package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;

import io.mongolock.core.OrphanCleanup;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Kind;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;

/**
 * Runs one clean-up to its end, as the product's own shell does.
 *
 * @param client who cleans up
 * @param judge sees it
 * @param cleanup says when to release
 * @param id the token
 */
record SimulatedCleanup(SimulatedClient client, Judge judge, OrphanCleanup cleanup, LeaseId id) {

	void begin() {
		goOn(this.cleanup.first(this.client.now()));
	}

	private void release() {
		if (this.cleanup.isInLine()) {
			this.client.ask(Request.leave(List.of(this.id), this.judge.terms(this.id).operationTimeout()))
				.then((left) -> this.judge.count(Event.LINE_LEAVE), (outcome) -> {
				});
		}
		Duration keptFor = this.cleanup.keptFor(this.client.now());
		if (!keptFor.isZero()) {
			keep(keptFor);
			return;
		}
		this.client.<Boolean>ask(Kind.RELEASE, this.id, false, (log, now) -> log.release(this.id)).then((freed) -> {
			if (freed) {
				this.judge.count(Event.FREED_BY_CLEAN_UP);
			}
			goOn(this.cleanup.answered(this.client.now()));
		}, (outcome) -> goOn(this.cleanup.failed(this.client.now())));
	}

	private void keep(Duration keptFor) {
		this.client.<Boolean>ask(Kind.KEEP, this.id, true, (log, now) -> log.expire(this.id, keptFor, now))
			.then((there) -> {
				this.judge.kept(this.id, there);
				goOn(this.cleanup.answered(this.client.now()));
			}, (outcome) -> goOn(this.cleanup.failed(this.client.now())));
	}

	private void goOn(long pause) {
		if (pause >= 0) {
			this.client.after(pause, this::release);
		}
	}

}
