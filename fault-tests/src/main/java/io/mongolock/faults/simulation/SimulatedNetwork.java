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

	long starves(Duration most) {
		return (this.timeline.chance(this.profile.starved())) ? this.timeline.between(0, most.toNanos()) : 0;
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
		if (!this.timeline.chance(this.profile.late())) {
			return travel();
		}
		long most = (this.timeline.chance(0.1)) ? 3 * scale : (this.timeline.chance(0.5)) ? scale / 4 : scale;
		return this.timeline.between(QUICK, most);
	}

	private long travel() {
		return this.timeline.between(QUICK / 10, QUICK * 2);
	}

	private void trace(SimulatedCall<?> call, String what) {
		this.trace.add(this.timeline.now(), call.client.name, what, call.request.kind(),
				call.request.ids().stream().map(LeaseId::leaseToken).toList());
	}

}
