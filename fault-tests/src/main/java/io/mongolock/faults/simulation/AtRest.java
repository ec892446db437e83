package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.test.StoreLog.Grant;

/**
 * Judges what shows only afterwards: that nothing is left behind, that a claim that waits
 * gets the lock, that fences rise, and that outcomes were true.
 */
record AtRest(Judge judge, SimulatedServers servers, Timings timings, LongSupplier healedAt) {

	/** More than a request takes when nothing goes wrong. */
	private static final long ROUND_TRIP = 100_000_000;

	// Given up a ttl ago: if its client could, it has cleaned up
	void checkCleanedUp(LeaseHistory history) {
		LeaseHistory entry = history.entry;
		long due = history.overAt + entry.ttl.toNanos();
		// The last clean-up comes a ttl after the release failed, which took a timeout
		boolean undisturbed = due >= this.healedAt.getAsLong() && history.client.frozenUntil() <= history.overAt
				&& history.starvedUntil <= history.overAt && !history.client.isCrashed() && !history.client.wasStopped
				&& !entry.doubled && this.servers.electedAt <= history.overAt;
		// A release that an old primary answered leaves a lease that runs out by the
		// store's clock
		boolean cleaned = entry.unknown || entry.late
				|| (this.servers.clock.spread() < ROUND_TRIP / 2 && entry.touchedAt <= history.overAt);
		// Handed over since, it is to stand: the last who holds it is judged
		boolean last = entry.holder == history.heldLock;
		boolean alive = last && this.servers.log.isAlive(entry.id, this.servers.clock.now());
		Violation.check(!alive || !undisturbed || !cleaned || entry.claimedAt > due, Violation.Kind.GHOST,
				() -> history + " still stands in the store a ttl after it was given up");
	}

	long cleanedUpAfter(LeaseHistory history) {
		Duration timeout = history.entry.terms.operationTimeout();
		return history.entry.ttl.plus(history.terms.minHold()).plus(timeout).toNanos() + ROUND_TRIP;
	}

	// What the client had is free at once if nothing goes wrong, and what it cut off
	// after
	// its margin
	void checkStopped(SimulatedProcess client) {
		for (LeaseHistory history : this.judge.histories.all()) {
			Duration left = (history.notified) ? history.terms.margin().plusMillis(1) : Duration.ZERO;
			boolean stands = history.client == client && !history.kept && !history.leftToExpire
					&& (this.servers.log.isAlive(history.id, this.servers.clock.now().plus(left))
							|| this.servers.log.look(history.id.key(), this.servers.clock.now())
								.queue()
								.stream()
								.anyMatch((waiter) -> waiter.leaseToken().equals(history.id.leaseToken())));
			Violation.check(!stands, Violation.Kind.GHOST, () -> history + " still stands in the store after the stop");
		}
	}

	void judge(FaultProfile profile) {
		Map<LeaseHistory, Grant> notified = new LinkedHashMap<>();
		for (LeaseHistory history : this.judge.histories.all()) {
			if (history.heldLock != null) {
				notified.put(history, Judge.grant(history.heldLock));
			}
		}
		checkFences(new HashSet<>(notified.values()));
		notified.keySet().forEach((history) -> checkOutcome(history, notified));
		this.judge.histories.all().forEach((history) -> {
			checkGranted(history);
			checkNeeded(history, profile);
		});
	}

	private void checkFences(Set<Grant> notified) {
		FenceOrder fences = new FenceOrder();
		int found = 0;
		for (Grant grant : this.servers.log.grants()) {
			if (notified.contains(grant)) {
				found++;
				fences.add(grant.key(), grant.fence(), this.judge.store.truth.grantedAt(grant), grant);
				this.judge.handOvers(grant).forEach((fence, at) -> fences.add(grant.key(), fence, at, grant));
			}
		}
		if (found != notified.size()) {
			throw new IllegalStateException("The store forgot a grant that it had confirmed");
		}
		fences.check();
	}

	private void checkOutcome(LeaseHistory history, Map<LeaseHistory, Grant> notified) {
		boolean overran = history.outcome == ReleaseOutcome.EXPIRED_UNCONTESTED;
		boolean promised = overran || this.judge.store.clockError() <= history.terms.margin().toNanos();
		if (history.outcome == null || history.outcome == ReleaseOutcome.LOST || !promised || history.entry.deleted) {
			return;
		}
		Violation.check(!overran || history.entry.freedAt >= 0, Violation.Kind.OUTCOME,
				() -> history + " was notified that it overran, without proof");
		long end = (overran) ? history.entry.freedAt : history.overAt;
		notified.forEach((other, grant) -> {
			boolean between = other != history && other.grantedAt > history.grantedAt && other.grantedAt < end;
			Violation.check(!between || !this.judge.store.truth.replaces(grant, history), Violation.Kind.OUTCOME,
					() -> history + " was notified " + history.outcome + " although " + other
							+ " was granted in between");
		});
	}

	private void checkGranted(LeaseHistory history) {
		if (history.last) {
			// Nothing is left then of what nobody touched since it healed
			long free = this.healedAt.getAsLong() + this.timings.longest().toNanos();
			for (LeaseHistory other : this.judge.histories.all()) {
				if (other != history && other.id.key().equals(history.id.key())) {
					long end = Math.max(other.overAt, other.entry.touchedAt);
					free = Math.max(free, end + other.entry.ttl.toNanos());
				}
			}
			long due = free + this.servers.clock.spread() + history.terms.retryInterval().toNanos() + ROUND_TRIP
					+ this.timings.placeTtl().toNanos();
			Violation.check(history.heldLock != null && history.grantedAt <= due, Violation.Kind.PROGRESS, () -> history
					+ " was granted at " + history.grantedAt / 1_000_000 + "ms, due at " + due / 1_000_000 + "ms");
		}
	}

	private void checkNeeded(LeaseHistory history, FaultProfile profile) {
		boolean renewed = history.heldLock != null && history.terms.autoRenew();
		boolean lost = renewed && history.outcome != ReleaseOutcome.RELEASED
				&& history.outcome != ReleaseOutcome.LEFT_TO_EXPIRE;
		boolean calm = profile.isCalm() && !history.client.wasStopped;
		Violation.check(!calm || !lost && !history.unknown, Violation.Kind.NEEDLESS,
				() -> history + " ended " + history.outcome + " although nothing went wrong");
		boolean spared = profile.isMild() && !history.client.wasStopped && !this.servers.wasBlocked(history.id.key())
				&& history.leftWhenTold > history.terms.operationTimeout().toNanos() / 4 + ROUND_TRIP;
		Violation.check(!spared || !lost, Violation.Kind.NEEDLESS,
				() -> history + " ended " + history.outcome + " although nothing went wrong with it");
	}

}
