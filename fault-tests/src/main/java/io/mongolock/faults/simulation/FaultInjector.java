package io.mongolock.faults.simulation;

import java.util.List;

import io.mongolock.LockRequest;

/**
 * Brings the faults of a history about that are not those of single messages.
 */
record FaultInjector(Timeline timeline, List<? extends SimulatedProcess> clients, SimulatedServers servers,
		List<LockRequest> locks, Timings timings, long until) {

	void plan(FaultProfile profile) {
		long ttl = this.timings.shortest().toNanos();
		sometimes(profile.cuts(), () -> anyone().cut(upTo(ttl)));
		sometimes(profile.pauses(), () -> anyone().pause(upTo(ttl * 2)));
		sometimes(profile.suspends(), () -> anyone().suspend(upTo(ttl * 2)));
		// A clock set back during a suspend hides it: no client can notice that
		long back = (profile.suspends() > 0) ? 0 : ttl;
		sometimes(profile.wallSteps(), () -> anyone().stepWall(this.timeline.between(-back, ttl)));
		sometimes(profile.crashes(), () -> anyone().crash());
		sometimes(profile.elections(), () -> this.servers.fail(upTo(ttl / 2)));
		sometimes(profile.elections(), this.servers::failAfterWrite);
		sometimes(profile.isolations(), () -> isolate(ttl));
		sometimes((profile.clockError() > 0) ? 2 : 0, this.servers::stepClock);
		sometimes(profile.garbage(),
				() -> this.locks.forEach((lock) -> this.servers.collect(lock.key(), this.timings.longest())));
		sometimes(profile.blocks(), this::block);
	}

	// For a time, or for ever
	private void block() {
		long most = this.until - this.timeline.now();
		long nanos = (this.timeline.chance(0.3)) ? most : upTo(this.timings.longest().toNanos());
		this.servers.block(this.locks.get((int) this.timeline.between(0, this.locks.size())).key(),
				this.timeline.now() + nanos);
	}

	private void isolate(long ttl) {
		this.clients.forEach((client) -> client.asksOldPrimary = this.timeline.chance(0.5));
		this.servers.isolate(this.timeline.between(0, ttl / 2));
		this.timeline.after(upTo(ttl * 2), this.servers::rejoin);
	}

	private void sometimes(int times, Runnable fault) {
		for (int time = 0; time < times; time++) {
			this.timeline.at(this.timeline.between(0, this.until), fault);
		}
	}

	private SimulatedProcess anyone() {
		return this.clients.get((int) this.timeline.between(0, this.clients.size()));
	}

	// Nothing lasts longer than the faults of the history
	private long upTo(long most) {
		return Math.min(this.timeline.between(1, most), this.until - this.timeline.now());
	}

}
