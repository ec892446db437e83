package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.function.Consumer;

import io.mongolock.LockStoreException.Outcome;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;

/**
 * Between clients and store: loses, delays, doubles and so reorders messages. A client
 * gives up a request after its operation timeout; the request does not know that.
 */
final class SimulatedNetwork {

	private static final long QUICK = 2_000_000;

	private final Timeline timeline;

	private final Trace trace;

	private final Judge judge;

	/** How late what is late may be. */
	private final long scale;

	private FaultProfile profile;

	SimulatedNetwork(Timeline timeline, Trace trace, Judge judge, Duration shortest, FaultProfile profile) {
		this.timeline = timeline;
		this.trace = trace;
		this.judge = judge;
		this.scale = shortest.toNanos();
		this.profile = profile;
	}

	void heal() {
		this.profile = FaultProfile.CALM;
	}

	<T> SimulatedCall<T> send(SimulatedProcess client, SimulatedServers servers, Request<T> request,
			Consumer<T> onReply, Consumer<Outcome> onFailure) {
		SimulatedCall<T> call = new SimulatedCall<>(client, request, onReply, onFailure);
		trace(call, "sends");
		client.after(request.timeout().toNanos(), () -> call.fail(Outcome.UNKNOWN));
		if (this.timeline.chance(this.profile.failed())) {
			client.after(travel(), () -> call.fail(Outcome.UNKNOWN));
		}
		long scale = this.scale;
		if (this.timeline.chance(this.profile.doubled())) {
			// The client knows nothing of the other copy. One of a denied claim that
			// comes later than a ttl could make an overrun look proved: not promised.
			scale /= 6;
			this.judge.doubled(request.kind(), request.id());
			carry(call, servers, delay(scale));
		}
		carry(call, servers, delay(scale));
		return call;
	}

	<T> void reply(SimulatedCall<T> call, T answer) {
		if (arrives(call)) {
			this.timeline.after(delay(this.scale), () -> call.client.run(() -> call.reply(answer)));
		}
	}

	void refuse(SimulatedCall<?> call, Outcome outcome) {
		if (arrives(call)) {
			this.timeline.after(travel(), () -> call.client.run(() -> call.fail(outcome)));
		}
	}

	// Too long, or for anything up to that
	long starves(Duration most) {
		double starved = this.profile.starved();
		return (starved == 0) ? 0 : switch (this.timeline.which(starved / 2, starved / 2)) {
			case 0 -> this.timeline.between(0, most.toNanos());
			case 1 -> most.toNanos() * 3 / 4;
			default -> 0;
		};
	}

	private void carry(SimulatedCall<?> call, SimulatedServers servers, long delay) {
		SimulatedProcess client = call.client;
		// Some of what a cut swallows comes out of it at the end
		boolean swallowed = client.isCut() && this.timeline.chance(0.7);
		if (swallowed || this.timeline.chance(this.profile.lost())) {
			trace(call, "loses");
			return;
		}
		this.timeline.after(client.cutFor() + delay, () -> servers.receive(call));
	}

	private boolean arrives(SimulatedCall<?> call) {
		return !call.client.isCut() && !this.timeline.chance(this.profile.lost());
	}

	// Mostly quick; late is up to the scale, and rarely far beyond it
	private long delay(long scale) {
		double late = this.profile.late();
		return (late == 0) ? travel() : switch (this.timeline.which(late * 0.45, late * 0.45, late * 0.1)) {
			case 0 -> this.timeline.between(QUICK, scale / 4);
			case 1 -> this.timeline.between(QUICK, scale);
			case 2 -> this.timeline.between(QUICK, 3 * scale);
			default -> travel();
		};
	}

	private long travel() {
		return this.timeline.between(QUICK / 10, QUICK * 2);
	}

	private void trace(SimulatedCall<?> call, String what) {
		this.trace.add(this.timeline.now(), call.client.name, what, call.request.kind(),
				call.request.ids().stream().map(LeaseId::leaseToken).toList());
	}

}
