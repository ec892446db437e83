package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.test.StoreLog.Grant;

/**
 * Judges what can only be told afterwards: that nothing is left behind, that whoever
 * waits gets the lock, that fences rise, and that outcomes were true.
 */
record AtRest(Judge judge, SimulatedServers servers, Timings timings, long healedAt) {

	/** More than a request takes when nothing goes wrong. */
	private static final long ROUND_TRIP = 100_000_000;

	// Given up a ttl ago: if its client could, it has cleaned up
	void checkCleanedUp(LeaseHistory tenure) {
		LeaseHistory entry = tenure.entry;
		long due = tenure.overAt + entry.ttl.toNanos();
		// The last clean-up comes a ttl after the release failed, which took a timeout
		boolean undisturbed = due >= this.healedAt && tenure.client.frozenUntil() <= tenure.overAt
				&& tenure.starvedUntil <= tenure.overAt && !tenure.client.isCrashed() && !tenure.client.wasStopped
				&& !entry.doubled && this.servers.electedAt <= tenure.overAt;
		// A release that an old primary answered leaves a lease that runs out by the
		// store's clock
		boolean cleaned = entry.unknown || entry.late
				|| (this.servers.clock.spread() < ROUND_TRIP / 2 && entry.touchedAt <= tenure.overAt);
		boolean alive = this.servers.log.isAlive(entry.id, this.servers.clock.now());
		Violation.check(!alive || !undisturbed || !cleaned || entry.claimedAt > due, Violation.Kind.GHOST,
				() -> tenure + " still stands in the store a ttl after it was given up");
	}

	long cleanedUpAfter(LeaseHistory tenure) {
		Duration timeout = tenure.entry.terms.operationTimeout();
		return tenure.entry.ttl.plus(tenure.terms.minHold()).plus(timeout).toNanos() + ROUND_TRIP;
	}

	// What the client had is free at once if nothing goes wrong
	void checkStopped(SimulatedProcess client) {
		for (LeaseHistory tenure : this.judge.histories.all()) {
			boolean stands = tenure.client == client && !tenure.kept && !tenure.leftToExpire
					&& (this.servers.log.isAlive(tenure.id, this.servers.clock.now())
							|| this.servers.log.look(tenure.id.key(), this.servers.clock.now())
								.queue()
								.stream()
								.anyMatch((waiter) -> waiter.leaseToken().equals(tenure.id.leaseToken())));
			Violation.check(!stands, Violation.Kind.GHOST, () -> tenure + " still stands in the store after the stop");
		}
	}

	void judge(FaultProfile weather) {
		Map<LeaseHistory, Grant> told = new LinkedHashMap<>();
		for (LeaseHistory tenure : this.judge.histories.all()) {
			if (tenure.heldLock != null) {
				told.put(tenure, Judge.grant(tenure.heldLock));
			}
		}
		checkFences(new HashSet<>(told.values()));
		told.keySet().forEach((tenure) -> checkOutcome(tenure, told));
		this.judge.histories.all().forEach((tenure) -> {
			checkGranted(tenure);
			checkNeeded(tenure, weather);
		});
	}

	private void checkFences(Set<Grant> told) {
		FenceOrder fences = new FenceOrder();
		int found = 0;
		for (Grant grant : this.servers.log.grants()) {
			if (told.contains(grant)) {
				found++;
				fences.add(grant.key(), grant.fence(), this.judge.store.truth.grantedAt(grant), grant);
				this.judge.handOvers(grant).forEach((fence, at) -> fences.add(grant.key(), fence, at, grant));
			}
		}
		if (found != told.size()) {
			throw new IllegalStateException("The store forgot a grant that it had confirmed");
		}
		fences.check();
	}

	private void checkOutcome(LeaseHistory tenure, Map<LeaseHistory, Grant> told) {
		boolean overran = tenure.outcome == ReleaseOutcome.EXPIRED_UNCONTESTED;
		boolean promised = overran || this.judge.store.clockError() <= tenure.terms.margin().toNanos();
		if (tenure.outcome == null || tenure.outcome == ReleaseOutcome.LOST || !promised || tenure.entry.deleted) {
			return;
		}
		Violation.check(!overran || tenure.entry.freedAt >= 0, Violation.Kind.OUTCOME,
				() -> tenure + " was told that it overran, without proof");
		long end = (overran) ? tenure.entry.freedAt : tenure.overAt;
		told.forEach((other, grant) -> {
			boolean between = other != tenure && other.grantedAt > tenure.grantedAt && other.grantedAt < end;
			Violation.check(!between || !this.judge.store.truth.replaces(grant, tenure), Violation.Kind.OUTCOME,
					() -> tenure + " was told " + tenure.outcome + " although " + other + " was granted in between");
		});
	}

	private void checkGranted(LeaseHistory tenure) {
		if (tenure.last) {
			// nothing is left then of what nobody touched since it healed
			long free = this.healedAt + this.timings.longest().toNanos();
			for (LeaseHistory other : this.judge.histories.all()) {
				if (other != tenure && other.id.key().equals(tenure.id.key())) {
					long end = Math.max(other.overAt, other.entry.touchedAt);
					free = Math.max(free, end + other.entry.ttl.toNanos());
				}
			}
			long due = free + this.servers.clock.spread() + tenure.terms.retryInterval().toNanos() + ROUND_TRIP
					+ this.timings.placeTtl().toNanos();
			Violation.check(tenure.heldLock != null && tenure.grantedAt <= due, Violation.Kind.PROGRESS, () -> tenure
					+ " was granted at " + tenure.grantedAt / 1_000_000 + "ms, due at " + due / 1_000_000 + "ms");
		}
	}

	private void checkNeeded(LeaseHistory tenure, FaultProfile weather) {
		boolean renewed = tenure.heldLock != null && tenure.terms.autoRenew();
		boolean lost = renewed && tenure.outcome != ReleaseOutcome.RELEASED
				&& tenure.outcome != ReleaseOutcome.LEFT_TO_EXPIRE;
		boolean calm = weather.isCalm() && !tenure.client.wasStopped;
		Violation.check(!calm || !lost && !tenure.unknown, Violation.Kind.NEEDLESS,
				() -> tenure + " ended " + tenure.outcome + " although nothing went wrong");
		boolean spared = weather.isMild() && !tenure.client.wasStopped && !this.servers.wasBlocked(tenure.id.key())
				&& tenure.leftWhenTold > tenure.terms.operationTimeout().toNanos() / 4 + ROUND_TRIP;
		Violation.check(!spared || !lost, Violation.Kind.NEEDLESS,
				() -> tenure + " ended " + tenure.outcome + " although nothing went wrong with it");
	}

}
