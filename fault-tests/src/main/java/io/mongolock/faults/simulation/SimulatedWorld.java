package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import io.mongolock.core.HandOver;

/**
 * What the clients of one history share: the true time, the network, the store, and who
 * judges. Belongs to one thread.
 */
final class SimulatedWorld {

	final Timeline timeline;

	final Judge judge;

	final SimulatedNetwork network;

	final SimulatedServers servers;

	final AtRest rest;

	private final Timings timings;

	SimulatedWorld(Chance chance, Timings timings, FaultProfile profile, LongSupplier healedAt, Coverage coverage,
			Trace trace) {
		Duration shortest = timings.shortest();
		this.timings = timings;
		this.timeline = new Timeline(chance);
		this.judge = new Judge(this.timeline, trace, coverage);
		this.network = new SimulatedNetwork(this.timeline, trace, this.judge, shortest, profile);
		this.servers = new SimulatedServers(this.timeline, this.network, this.judge, profile);
		this.rest = new AtRest(this.judge, this.servers, timings, healedAt);
		this.judge.onOver((history) -> this.timeline.after(this.rest.cleanedUpAfter(history),
				() -> this.rest.checkCleanedUp(history)));
	}

	SimulatedClient client(String name, HandOver handOver) {
		return new SimulatedClient(name, this.timeline, this.network, this.servers, this.judge, handOver,
				this.timings.placeTtl());
	}

	// From now on nothing goes wrong with messages and servers
	void heal() {
		this.network.heal();
		this.servers.heal();
	}

	// When nothing is left to happen of what may go wrong
	void judge(List<SimulatedClient> clients, FaultProfile profile) {
		clients.forEach((client) -> Violation.check(client.isAtRest(), Violation.Kind.PROGRESS,
				() -> client.name + " still keeps a turn that nobody takes"));
		this.rest.judge(profile);
	}

}
