package io.mongolock.faults.simulation;

import java.util.List;

import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.RenewalBatch;
import io.mongolock.core.RenewalSchedule;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

/**
 * Runs the renewal schedule of one client as the product's own shell does: a watch that
 * looks when something is due or answered, and requests that leave and return beside it.
 */
final class SimulatedRenewals {

	private static final long FAR = 1_000_000_000_000L;

	private final SimulatedClient client;

	private final RenewalSchedule schedule;

	private int looks;

	private int underway;

	SimulatedRenewals(SimulatedClient client) {
		this.client = client;
		this.schedule = new RenewalSchedule((bound) -> client.timeline.between(0, bound));
	}

	void register(Lease lease) {
		this.schedule.add(lease, this.client.now());
		look();
	}

	void unregister(Lease lease) {
		this.schedule.remove(lease);
	}

	private void look() {
		int look = ++this.looks;
		ClockReading now = this.client.now();
		for (RenewalBatch batch : this.schedule.due(now)) {
			this.underway++;
			this.client.after(this.client.timeline.between(0, 100_000), () -> renew(batch));
		}
		Violation.check(this.underway <= RenewalSchedule.MAX_REQUESTS, Violation.Kind.STORM,
				() -> this.underway + " renewals of " + this.client.name + " are underway");
		long next = this.schedule.nextIn(now);
		if (next < FAR) {
			this.client.after(next, () -> {
				if (look == this.looks) {
					look();
				}
			});
		}
	}

	private void renew(RenewalBatch batch) {
		ClockReading requested = this.client.now();
		List<LeaseId> ids = batch.leases().stream().map(Lease::id).toList();
		this.client.ask(Request.renewal(ids, batch.timeout()), (found) -> {
			ClockReading now = this.client.now();
			if (found == ids.size()) {
				this.client.judge.renewed(this.client, ids, requested);
			}
			else {
				this.client.judge.event(this.client.name, "misses a lease", Event.RENEWAL_REFUSED);
			}
			hand(() -> this.schedule.answered(batch, RenewalAnswer.of(found), requested, now));
		}, (outcome) -> {
			ClockReading now = this.client.now();
			this.client.judge.count(Event.RENEWAL_UNKNOWN);
			hand(() -> this.schedule.failed(batch, now));
		});
	}

	// From the thread that renews to the watch
	private void hand(Runnable answer) {
		this.client.after(this.client.timeline.between(0, 100_000), () -> {
			this.underway--;
			answer.run();
			look();
		});
	}

}
